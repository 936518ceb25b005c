CREATE TABLE IF NOT EXISTS orders (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant VARCHAR(64) NOT NULL,
    period CHAR(7) NOT NULL,
    currency CHAR(3) NOT NULL,
    amount DECIMAL(12, 2) NOT NULL
);

CREATE INDEX IF NOT EXISTS orders_of_tenant ON orders (tenant, period);

CREATE TABLE IF NOT EXISTS reports (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant VARCHAR(64) NOT NULL,
    period CHAR(7) NOT NULL,
    total_usd DECIMAL(14, 2) NOT NULL
);

CREATE INDEX IF NOT EXISTS reports_of_tenant ON reports (tenant, period);
