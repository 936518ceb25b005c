-- Five tenants, three months, three currencies, a hundred orders in each.
INSERT INTO orders (tenant, period, currency, amount)
SELECT tenants.name, periods.name, currencies.name, numbers.x
FROM (VALUES ('acme'), ('hooli'), ('initech'), ('vip-globex'), ('vip-umbrella')) AS tenants (name)
CROSS JOIN (VALUES ('2026-01'), ('2026-02'), ('2026-03')) AS periods (name)
CROSS JOIN (VALUES ('EUR'), ('GBP'), ('USD')) AS currencies (name)
CROSS JOIN SYSTEM_RANGE(1, 100) AS numbers (x);
