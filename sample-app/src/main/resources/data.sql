-- Five tenants, three months, three currencies, a hundred orders in each; they are there only once.
INSERT INTO orders (tenant, period, currency, amount)
SELECT tenants.name, periods.name, currencies.name, 10 * tens.digit + ones.digit + 1
FROM (VALUES ('acme'), ('hooli'), ('initech'), ('vip-globex'), ('vip-umbrella')) AS tenants (name)
CROSS JOIN (VALUES ('2026-01'), ('2026-02'), ('2026-03')) AS periods (name)
CROSS JOIN (VALUES ('EUR'), ('GBP'), ('USD')) AS currencies (name)
CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS tens (digit)
CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS ones (digit)
WHERE NOT EXISTS (SELECT 1 FROM orders);
