-- Rows of before belong to the application named 'default', until an update of these four tables names another one.
alter table rollout_plan add column application varchar(200) default 'default' not null;
alter table rollout_task add column application varchar(200) default 'default' not null;
alter table rollout_tenant add column application varchar(200) default 'default' not null;
alter table rollout_event add column application varchar(200) default 'default' not null;

alter table rollout_plan drop primary key;
alter table rollout_plan add primary key (application, plan_id);
alter table rollout_tenant drop primary key;
alter table rollout_tenant add primary key (application, tenant_id);

drop index rollout_task_of_plan;
create unique index rollout_task_of_plan on rollout_task (application, plan_id, position);
drop index rollout_task_of_tenant;
create index rollout_task_of_tenant on rollout_task (application, tenant_id, created_at);
drop index rollout_task_wished;
create index rollout_task_wished on rollout_task (application, plan_id, wish);
drop index rollout_event_number;
create unique index rollout_event_number on rollout_event (application, plan_id, task_id, sequence);
drop index rollout_event_unpublished;
create index rollout_event_unpublished on rollout_event (application, plan_id, published, event_id);
create index rollout_plan_ended on rollout_plan (application, ended_at);
create index rollout_plan_created on rollout_plan (application, created_at, plan_id);

update rollout_execution set task_name = 'rollout-drive:default' where task_name = 'rollout-drive';

-- Who drives a plan, and which nodes were lost with a task.
alter table rollout_plan add column abandoned integer default 0 not null;
alter table rollout_plan add column drive_node varchar;
alter table rollout_plan add column stranded_since timestamp(6) with time zone;
alter table rollout_task add column lost_with varchar default '[]' not null;
alter table rollout_task drop column recoveries;

-- How many tasks of each wave have failed. It has as many numbers as what waits.
alter table rollout_plan add column failed varchar default '[]' not null;
update rollout_plan set failed = regexp_replace(waiting, '[0-9]+', '0');

-- Failures may be limited by a percentage, and a plan with too many be rolled back.
update rollout_plan set waves = replace(
    regexp_replace(waves, '"maxFailures":([0-9]+)', '"maxFailures":{"value":$1,"isPercentage":false}'),
    '"bakeTime":', '"onTooManyFailures":"PAUSE","bakeTime":');

-- A drive reads what is wanted of tasks when there is more than it has read.
alter table rollout_plan add column wishes bigint default 0 not null;

-- Code may decide whether the next wave begins.
alter table rollout_plan add column gate_check_expires_at timestamp(6) with time zone;
alter table rollout_plan add column gate_checked boolean default false not null;

-- The drive that has the plan gives events their positions, and holds what the listeners refuse.
alter table rollout_event add column position bigint;
alter table rollout_event add column refused_at timestamp(6) with time zone;
alter table rollout_event add column given_up boolean default false not null;
update rollout_event set position = event_id where published;
create index rollout_event_position on rollout_event (application, plan_id, position, event_id);

-- Tokens grow over all plans of a tenant. Services may remember those of before, which were epochs.
alter table rollout_task add column token bigint default 0 not null;
alter table rollout_tenant add column token bigint default 0 not null;
update rollout_task set token = epoch;
update rollout_tenant set token = coalesce(
    (select max(epoch) from rollout_task where rollout_task.tenant_id = rollout_tenant.tenant_id), 0);

-- Each configuration is kept once. An id is the SHA-256 of what is kept, but for those of before.
create table rollout_config (
    config_id varchar(300) primary key,
    body varchar not null
);

alter table rollout_task add column config_id varchar(300);
alter table rollout_task add column previous_config varchar(300);
alter table rollout_tenant add column good_config varchar(300);

-- A text in JSON is one in quotes, with the escapes of Java.
insert into rollout_config (config_id, body)
    select task_id || '/to', stringdecode(substring(cast((change_body format json)."config" as varchar), 2, length(cast((change_body format json)."config" as varchar)) - 2))
    from rollout_task;
insert into rollout_config (config_id, body)
    select task_id || '/from', stringdecode(substring(cast((previous format json)."config" as varchar), 2, length(cast((previous format json)."config" as varchar)) - 2))
    from rollout_task where previous is not null;
insert into rollout_config (config_id, body)
    select 'of/' || tenant_id, stringdecode(substring(cast((last_known_good format json)."config" as varchar), 2, length(cast((last_known_good format json)."config" as varchar)) - 2))
    from rollout_tenant where last_known_good is not null;

update rollout_task set
    config_id = task_id || '/to',
    change_body = cast(json_object(
        'unit': (change_body format json)."unit",
        'endpoints': (change_body format json)."endpoints",
        'maxRetry': (change_body format json)."maxRetry",
        'settings': (change_body format json)."settings") as varchar);
update rollout_task set
    previous_config = task_id || '/from',
    previous = cast((previous format json)."unit" as varchar)
    where previous is not null;
update rollout_tenant set
    good_config = 'of/' || tenant_id,
    last_known_good = cast((last_known_good format json)."unit" as varchar)
    where last_known_good is not null;

alter table rollout_task alter column config_id set not null;
create index rollout_task_of_config on rollout_task (config_id);
create index rollout_task_of_previous on rollout_task (previous_config);
create index rollout_tenant_of_config on rollout_tenant (good_config);
