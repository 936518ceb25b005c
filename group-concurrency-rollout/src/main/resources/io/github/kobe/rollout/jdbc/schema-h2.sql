create table if not exists rollout_plan (
    plan_id varchar(200) primary key,
    status varchar(40) not null,
    max_concurrency integer not null,
    waves varchar not null,
    pause_asked boolean not null,
    rolling_back boolean not null,
    tally varchar not null,
    owed integer not null,
    abandoned integer not null,
    wave integer not null,
    waiting varchar not null,
    failures_allowed integer not null,
    gate_since timestamp(6) with time zone,
    gate_baked_at timestamp(6) with time zone,
    gate_expires_at timestamp(6) with time zone,
    gate_approved_by varchar,
    drive_number bigint not null,
    drive_phase varchar(40) not null,
    drive_at timestamp(6) with time zone,
    drive_node varchar,
    created_at timestamp(6) with time zone not null,
    created_by varchar not null,
    started_at timestamp(6) with time zone,
    ended_at timestamp(6) with time zone,
    sequence bigint not null,
    epoch bigint not null
);

create table if not exists rollout_task (
    task_id varchar(200) primary key,
    plan_id varchar(200) not null,
    tenant_id varchar not null,
    position integer not null,
    change_body varchar not null,
    stage_names varchar not null,
    created_at timestamp(6) with time zone not null,
    status varchar(40) not null,
    unit varchar not null,
    previous varchar,
    last_known_good varchar,
    stages_done integer not null,
    stages_started integer not null,
    settled varchar not null,
    run integer not null,
    attempt integer not null,
    retries integer not null,
    retrying boolean,
    lost_with varchar not null,
    data varchar not null,
    checkpoint_at timestamp(6) with time zone,
    failure varchar,
    started_at timestamp(6) with time zone,
    ended_at timestamp(6) with time zone,
    wish varchar(40),
    wish_by varchar,
    wish_from_checkpoint boolean,
    sequence bigint not null,
    epoch bigint not null,
    token bigint not null
);

create unique index if not exists rollout_task_of_plan on rollout_task (plan_id, position);
create index if not exists rollout_task_of_tenant on rollout_task (tenant_id, created_at);
create index if not exists rollout_task_wished on rollout_task (plan_id, wish);

create table if not exists rollout_tenant (
    tenant_id varchar primary key,
    claim varchar(200),
    waiting varchar default '[]' not null,
    last_task varchar(200),
    last_known_good varchar,
    token bigint default 0 not null
);

-- The events of a plan itself have no task: an empty text. The drive that has the plan gives them their positions.
create table if not exists rollout_event (
    event_id bigint generated always as identity primary key,
    plan_id varchar(200) not null,
    task_id varchar(200) not null,
    tenant_id varchar,
    sequence bigint not null,
    type varchar(40) not null,
    status varchar(40) not null,
    happened_at timestamp(6) with time zone not null,
    message varchar not null,
    body varchar not null,
    position bigint,
    published boolean default false not null,
    refused_at timestamp(6) with time zone,
    given_up boolean default false not null
);

create unique index if not exists rollout_event_number on rollout_event (plan_id, task_id, sequence);
create unique index if not exists rollout_event_position on rollout_event (plan_id, position);
create index if not exists rollout_event_unpublished on rollout_event (plan_id, published, event_id);

-- The table of db-scheduler.
create table if not exists rollout_execution (
    task_name varchar(200) not null,
    task_instance varchar(200) not null,
    task_data blob,
    execution_time timestamp(6) with time zone not null,
    picked boolean not null,
    picked_by varchar,
    last_success timestamp(6) with time zone,
    last_failure timestamp(6) with time zone,
    consecutive_failures integer,
    last_heartbeat timestamp(6) with time zone,
    version bigint not null,
    priority smallint,
    primary key (task_name, task_instance)
);

create index if not exists rollout_execution_due on rollout_execution (execution_time);
create index if not exists rollout_execution_heartbeat on rollout_execution (last_heartbeat);
