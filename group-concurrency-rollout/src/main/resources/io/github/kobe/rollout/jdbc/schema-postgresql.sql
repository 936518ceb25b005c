create table if not exists rollout_plan (
    plan_id text primary key,
    status text not null,
    max_concurrency integer not null,
    waves text not null,
    pause_asked boolean not null,
    rolling_back boolean not null,
    tally text not null,
    owed integer not null,
    abandoned integer not null,
    wave integer not null,
    waiting text not null,
    failures_allowed integer not null,
    gate_since timestamptz,
    gate_baked_at timestamptz,
    gate_expires_at timestamptz,
    gate_approved_by text,
    drive_number bigint not null,
    drive_phase text not null,
    drive_at timestamptz,
    drive_node text,
    created_at timestamptz not null,
    created_by text not null,
    started_at timestamptz,
    ended_at timestamptz,
    sequence bigint not null,
    epoch bigint not null
);

create table if not exists rollout_task (
    task_id text primary key,
    plan_id text not null,
    tenant_id text not null,
    position integer not null,
    change_body text not null,
    stage_names text not null,
    created_at timestamptz not null,
    status text not null,
    unit text not null,
    previous text,
    last_known_good text,
    stages_done integer not null,
    stages_started integer not null,
    settled text not null,
    run integer not null,
    attempt integer not null,
    retries integer not null,
    retrying boolean,
    lost_with text not null,
    data text not null,
    checkpoint_at timestamptz,
    failure text,
    started_at timestamptz,
    ended_at timestamptz,
    wish text,
    wish_by text,
    wish_from_checkpoint boolean,
    sequence bigint not null,
    epoch bigint not null,
    token bigint not null
);

create unique index if not exists rollout_task_of_plan on rollout_task (plan_id, position);
create index if not exists rollout_task_of_tenant on rollout_task (tenant_id, created_at);
create index if not exists rollout_task_wished on rollout_task (plan_id) where wish is not null;

create table if not exists rollout_tenant (
    tenant_id text primary key,
    claim text,
    waiting text default '[]' not null,
    last_task text,
    last_known_good text,
    token bigint default 0 not null
);

-- The events of a plan itself have no task: an empty text. The drive that has the plan gives them their positions.
create table if not exists rollout_event (
    event_id bigint generated always as identity primary key,
    plan_id text not null,
    task_id text not null,
    tenant_id text,
    sequence bigint not null,
    type text not null,
    status text not null,
    happened_at timestamptz not null,
    message text not null,
    body text not null,
    position bigint,
    published boolean default false not null,
    refused_at timestamptz,
    given_up boolean default false not null
);

create unique index if not exists rollout_event_number on rollout_event (plan_id, task_id, sequence);
create unique index if not exists rollout_event_position on rollout_event (plan_id, position);
create index if not exists rollout_event_unpublished on rollout_event (plan_id, event_id) where not published;

-- The table of db-scheduler.
create table if not exists rollout_execution (
    task_name text not null,
    task_instance text not null,
    task_data bytea,
    execution_time timestamptz not null,
    picked boolean not null,
    picked_by text,
    last_success timestamptz,
    last_failure timestamptz,
    consecutive_failures integer,
    last_heartbeat timestamptz,
    version bigint not null,
    priority smallint,
    primary key (task_name, task_instance)
);

create index if not exists rollout_execution_due on rollout_execution (execution_time);
create index if not exists rollout_execution_heartbeat on rollout_execution (last_heartbeat);
