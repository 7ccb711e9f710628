-- What a reader needs in order to fetch only what changed since it last looked.
--
-- Every row carries the transaction that last wrote it; deleted keys leave tombstones; a ledger
-- with a random token for each writing transaction proves that what a reader saw earlier is part
-- of what it sees now; the epoch changes with TRUNCATE, which leaves no tombstones.

create table staffbook.tombstones (
  kind text collate "C" not null,
  key1 text collate "C" not null,
  key2 text collate "C" not null default '',
  changed_in xid8 not null,
  constraint tombstones_kind check (kind in ('department', 'user', 'membership'))
);

create table staffbook.ledger (
  changed_in xid8 not null,
  token uuid not null default gen_random_uuid(),
  at timestamptz not null default transaction_timestamp(),
  constraint ledger_pkey primary key (changed_in)
);

create table staffbook.epoch (
  only_row boolean not null default true,
  epoch uuid not null default gen_random_uuid(),
  pruned_below xid8 not null default '0',
  constraint epoch_pkey primary key (only_row),
  constraint epoch_only_row check (only_row)
);

insert into staffbook.epoch default values;

create index departments_changed_in on staffbook.departments (changed_in);
create index users_changed_in on staffbook.users (changed_in);
create index memberships_changed_in on staffbook.memberships (changed_in);
create index tombstones_changed_in on staffbook.tombstones (changed_in);

comment on table staffbook.tombstones is
  'Keys that were deleted or renamed away, in no order; a key deleted twice is here twice';
comment on column staffbook.tombstones.kind is 'What was deleted: department, user or membership';
comment on column staffbook.tombstones.key1 is 'Id of the department or user; a membership''s user';
comment on column staffbook.tombstones.key2 is 'A membership''s department; otherwise empty';
comment on column staffbook.tombstones.changed_in is 'Top-level transaction that deleted it';

comment on table staffbook.ledger is
  'One row for each transaction that wrote departments, users or memberships';
comment on column staffbook.ledger.changed_in is 'The transaction';
comment on column staffbook.ledger.token is
  'Random: tells the transaction from another of the same number after a failover that lost it';
comment on column staffbook.ledger.at is 'When the transaction began';

comment on table staffbook.epoch is 'One row: what a reader''s bookkeeping rests on';
comment on column staffbook.epoch.only_row is 'True; the key that keeps a second row out';
comment on column staffbook.epoch.epoch is 'Renewed when a table is truncated';
comment on column staffbook.epoch.pruned_below is
  'Ledger and tombstones of transactions below this one may have been removed';

-- Runs with the writer's rights and settings: it touches no table, and names everything in full.
-- Switching role and settings for each row would cost more than all the rest of it.
create function staffbook.mark_change() returns trigger
language plpgsql
as $function$
begin
  new.changed_in := pg_catalog.pg_current_xact_id();
  return new;
end
$function$;

comment on function staffbook.mark_change() is
  'Trigger: notes in the row which transaction writes it';

create function staffbook.bury() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_argv[0] = 'membership' then
    insert into staffbook.tombstones (kind, key1, key2, changed_in)
      values ('membership', old.user_id, old.department_id, pg_current_xact_id());
  else
    insert into staffbook.tombstones (kind, key1, changed_in)
      values (tg_argv[0], old.id, pg_current_xact_id());
  end if;
  return null;
end
$function$;

comment on function staffbook.bury() is
  'Trigger: leaves a tombstone for a key that is no longer there';

-- A row of the same number and another time came with a restore from elsewhere, or is that of a
-- transaction that a failover lost: the token must not be taken for the one that was seen then.
create function staffbook.enter_in_ledger() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into staffbook.ledger as l (changed_in) values (pg_current_xact_id())
    on conflict (changed_in) do update
      set token = excluded.token, at = excluded.at
      where l.at <> excluded.at;
  return null;
end
$function$;

comment on function staffbook.enter_in_ledger() is
  'Trigger: enters the writing transaction in the ledger';

create function staffbook.renew_epoch() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  update staffbook.epoch set epoch = gen_random_uuid();
  return null;
end
$function$;

comment on function staffbook.renew_epoch() is
  'Trigger: renews the epoch, since TRUNCATE leaves no tombstones';

-- Triggers of one kind run in the order of their names; the mark comes last, so that no other
-- trigger overwrites it. Applying a subscription fires row triggers only, hence the ledger's
-- second trigger, which fires for replicated rows alone and costs ordinary writers nothing.
do $block$
declare
  place record;
begin
  for place in
    select * from (values
      ('departments', 'department', 'old.id is distinct from new.id'),
      ('users', 'user', 'old.id is distinct from new.id'),
      ('memberships', 'membership',
        '(old.user_id, old.department_id) is distinct from (new.user_id, new.department_id)')
    ) as p(relation, kind, key_changed)
  loop
    execute format($sql$
      create trigger zzz_mark_change before insert or update on staffbook.%1$I
        for each row execute function staffbook.mark_change();
      create trigger bury_deleted after delete on staffbook.%1$I
        for each row execute function staffbook.bury(%2$L);
      create trigger bury_renamed after update on staffbook.%1$I
        for each row when (%3$s) execute function staffbook.bury(%2$L);
      create trigger enter_in_ledger after insert or update or delete on staffbook.%1$I
        for each statement execute function staffbook.enter_in_ledger();
      create trigger enter_replicated_in_ledger after insert or update or delete
        on staffbook.%1$I
        for each row execute function staffbook.enter_in_ledger();
      create trigger renew_epoch after truncate on staffbook.%1$I
        for each statement execute function staffbook.renew_epoch();
      alter table staffbook.%1$I
        enable always trigger zzz_mark_change,
        enable always trigger bury_deleted,
        enable always trigger bury_renamed,
        enable always trigger enter_in_ledger,
        enable replica trigger enter_replicated_in_ledger,
        enable always trigger renew_epoch;
    $sql$, place.relation, place.kind, place.key_changed);
  end loop;
end
$block$;

-- Without tombstones or ledger the bookkeeping of every reader is void.
create trigger renew_epoch after truncate on staffbook.tombstones
  for each statement execute function staffbook.renew_epoch();
create trigger renew_epoch after truncate on staffbook.ledger
  for each statement execute function staffbook.renew_epoch();
alter table staffbook.tombstones enable always trigger renew_epoch;
alter table staffbook.ledger enable always trigger renew_epoch;

-- A digest of what the tables are, as opposed to what they hold: it changes with a restore in
-- place, with triggers that were off for a while, and with anything else that may have written
-- rows past the triggers; also, needlessly, with VACUUM FULL.
create function staffbook.layout() returns text
language sql stable set search_path = pg_catalog, pg_temp
as $function$
  with tables as (
    select c.oid, c.relname, c.relfilenode
      from pg_class c
      where c.relnamespace = 'staffbook'::regnamespace
        and c.relname in
          ('departments', 'users', 'memberships', 'tombstones', 'ledger', 'epoch')
  ), facts(fact) as (
    select format('database %s', d.oid) from pg_database d where d.datname = current_database()
    union all
    select format('table %s %s', t.oid, t.relfilenode) from tables t
    union all
    select format('column %s %s %s', t.oid, a.attnum, a.atttypid)
      from tables t join pg_attribute a on a.attrelid = t.oid
      where a.attnum > 0 and not a.attisdropped
    union all
    select format('trigger %s %s %s %s', t.oid, g.oid, g.tgenabled, g.xmin)
      from tables t join pg_trigger g on g.tgrelid = t.oid
  )
  select encode(sha256(convert_to(
      string_agg(fact, E'\n' order by fact collate "C"), 'UTF8')), 'hex') from facts
$function$;

comment on function staffbook.layout() is
  'Digest of the tables'' identity, columns and triggers; another value means: compare everything';

-- Removes ledger rows and tombstones that no reader needs who synced within the newest `keep`
-- transactions; older readers find their watermark below pruned_below and compare everything.
-- Rows numbered beyond all our transactions came with another cluster's dump and go too; each
-- statement asks for its own snapshot, or a transaction that ended meanwhile would be among them.
create function staffbook.prune(keep bigint default 2000) returns xid8
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  own constant xid8 := pg_current_xact_id();
  snapshot constant pg_snapshot := pg_current_snapshot();
  beyond constant xid8 := pg_snapshot_xmax(snapshot);
  oldest_kept xid8;
  horizon xid8;
begin
  select l.changed_in into oldest_kept from staffbook.ledger l
    where l.changed_in < beyond order by l.changed_in desc
    offset greatest(keep, 1) - 1 limit 1;
  if oldest_kept is null then
    select l.changed_in into oldest_kept from staffbook.ledger l
      where l.changed_in < beyond order by l.changed_in limit 1;
  end if;
  horizon := least(oldest_kept, pg_snapshot_xmin(snapshot));

  update staffbook.epoch e set pruned_below = horizon
    where e.pruned_below >= beyond or e.pruned_below < horizon;
  delete from staffbook.tombstones t where t.changed_in < horizon
    or t.changed_in >= pg_snapshot_xmax(pg_current_snapshot()) and t.changed_in <> own;
  delete from staffbook.ledger l where l.changed_in < horizon
    or l.changed_in >= pg_snapshot_xmax(pg_current_snapshot()) and l.changed_in <> own;
  return horizon;
end
$function$;

revoke execute on function staffbook.prune(bigint) from public;

comment on function staffbook.prune(bigint) is
  'Removes what only readers need that have not synced for long; returns the new pruned_below';
