CREATE TABLE orders (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant VARCHAR(64) NOT NULL,
    period CHAR(7) NOT NULL,
    currency CHAR(3) NOT NULL,
    amount DECIMAL(12, 2) NOT NULL
);

CREATE INDEX orders_of_tenant ON orders (tenant, period);

CREATE TABLE reports (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant VARCHAR(64) NOT NULL,
    period CHAR(7) NOT NULL,
    total_usd DECIMAL(14, 2) NOT NULL
);

CREATE INDEX reports_of_tenant ON reports (tenant, period);
