-- What a reader needs in order to fetch only what changed since it last looked.
--
-- Every row carries the transaction that last wrote it; deleted keys leave tombstones; a ledger
-- with a random token for each writing transaction proves that what a reader saw earlier is part
-- of what it sees now; the epoch changes with TRUNCATE, which leaves no tombstones.

create table if not exists staffbook.tombstones (
  kind text collate "C" not null,
  key1 text collate "C" not null,
  key2 text collate "C" not null default '',
  changed_in xid8 not null,
  constraint tombstones_kind check (kind in ('department', 'user', 'membership'))
);

create table if not exists staffbook.ledger (
  changed_in xid8 not null,
  token uuid not null default gen_random_uuid(),
  at timestamptz not null default transaction_timestamp(),
  constraint ledger_pkey primary key (changed_in)
);

create table if not exists staffbook.epoch (
  only_row boolean not null default true,
  epoch uuid not null default gen_random_uuid(),
  pruned_below xid8 not null default '0',
  constraint epoch_pkey primary key (only_row),
  constraint epoch_only_row check (only_row)
);

insert into staffbook.epoch default values on conflict do nothing;

create index if not exists tombstones_changed_in on staffbook.tombstones (changed_in);

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
comment on column staffbook.epoch.epoch is
  'Renewed when a table is truncated, and when tombstones are forgotten';
comment on column staffbook.epoch.pruned_below is
  'Ledger and tombstones of transactions below this one may have been removed';

-- Runs with the writer's rights and settings: it touches no table, and names everything in full.
-- Switching role and settings for each row would cost more than all the rest of it.
create or replace function staffbook.mark_change() returns trigger
language plpgsql
as $function$
begin
  new.changed_in := pg_catalog.pg_current_xact_id();
  return new;
end
$function$;

revoke execute on function staffbook.mark_change() from public;

comment on function staffbook.mark_change() is
  'Trigger: notes in the row which transaction writes it';

create or replace function staffbook.bury() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_relid = 'staffbook.memberships'::regclass then
    insert into staffbook.tombstones (kind, key1, key2, changed_in)
      values ('membership', old.user_id, old.department_id, pg_current_xact_id());
  elsif tg_relid = 'staffbook.users'::regclass then
    insert into staffbook.tombstones (kind, key1, changed_in)
      values ('user', old.id, pg_current_xact_id());
  elsif tg_relid = 'staffbook.departments'::regclass then
    insert into staffbook.tombstones (kind, key1, changed_in)
      values ('department', old.id, pg_current_xact_id());
  else
    raise insufficient_privilege
      using message = 'bury() belongs to the tables of records of staffbook';
  end if;
  return null;
end
$function$;

revoke execute on function staffbook.bury() from public;

comment on function staffbook.bury() is
  'Trigger: leaves a tombstone for a key that is no longer there';

-- A row of the same number and another time came with a restore from elsewhere, or is that of a
-- transaction that a failover lost: the token must not be taken for the one that was seen then.
create or replace function staffbook.enter_in_ledger() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_relid not in ('staffbook.departments'::regclass, 'staffbook.users'::regclass,
    'staffbook.memberships'::regclass, 'staffbook.fields'::regclass)
  then
    raise insufficient_privilege
      using message = 'enter_in_ledger() belongs to the tables of records of staffbook';
  end if;
  insert into staffbook.ledger as l (changed_in) values (pg_current_xact_id())
    on conflict (changed_in) do update
      set token = excluded.token, at = excluded.at
      where l.at <> excluded.at;
  return null;
end
$function$;

revoke execute on function staffbook.enter_in_ledger() from public;

comment on function staffbook.enter_in_ledger() is
  'Trigger: enters the writing transaction in the ledger';

-- What is written to the tracking tables by hand leaves no trace that a reader could find, tombstones
-- least of all: 3 of 70 syncs kept people who had been removed. Another epoch makes readers compare.
create or replace function staffbook.renew_epoch() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_relid not in ('staffbook.departments'::regclass, 'staffbook.users'::regclass,
    'staffbook.memberships'::regclass, 'staffbook.tombstones'::regclass,
    'staffbook.ledger'::regclass, 'staffbook.epoch'::regclass)
  then
    raise insufficient_privilege
      using message = 'renew_epoch() belongs to the tables of records and tracking of staffbook';
  end if;
  if tg_op <> 'TRUNCATE' and current_setting('staffbook.pruning', true) = 'on' then
    return null;
  end if;
  update staffbook.epoch set epoch = gen_random_uuid();
  return null;
end
$function$;

revoke execute on function staffbook.renew_epoch() from public;

comment on function staffbook.renew_epoch() is
  'Trigger: renews the epoch where a table is truncated, or the tracking changed by hand';

-- A digest of what the tables are, as opposed to what they hold: it changes with a restore in
-- place, with triggers that were off for a while, and with anything else that may have written
-- rows past the triggers; also, needlessly, with VACUUM FULL.
create or replace function staffbook.layout() returns text
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

revoke execute on function staffbook.layout() from public;

comment on function staffbook.layout() is
  'Digest of the tables'' identity, columns and triggers; another value means: compare everything';

-- Removes ledger rows and tombstones that no reader needs who synced within the newest `keep`
-- transactions; older readers find their watermark below pruned_below and compare everything.
-- Rows numbered beyond all our transactions came with another cluster's dump and go too; each
-- statement asks for its own snapshot, or a transaction that ended meanwhile would be among them.
create or replace function staffbook.prune(keep bigint default 2000) returns xid8
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

  perform set_config('staffbook.pruning', 'on', true);
  update staffbook.epoch e set pruned_below = horizon
    where e.pruned_below >= beyond or e.pruned_below < horizon;
  delete from staffbook.tombstones t where t.changed_in < horizon
    or t.changed_in >= pg_snapshot_xmax(pg_current_snapshot()) and t.changed_in <> own;
  delete from staffbook.ledger l where l.changed_in < horizon
    or l.changed_in >= pg_snapshot_xmax(pg_current_snapshot()) and l.changed_in <> own;
  perform set_config('staffbook.pruning', '', true);
  return horizon;
end
$function$;

revoke execute on function staffbook.prune(bigint) from public;

comment on function staffbook.prune(bigint) is
  'Removes what only readers need that have not synced for long; returns the new pruned_below';

-- What others than the owner may prune: whoever chose how much is kept could make all readers compare.
create or replace function staffbook.prune_tracking() returns xid8
language sql security definer set search_path = pg_catalog, pg_temp
as $function$
  select staffbook.prune()
$function$;

revoke execute on function staffbook.prune_tracking() from public;

comment on function staffbook.prune_tracking() is
  'Removes what only readers need that have not synced within the newest 2,000 transactions';

-- Accepted deletions ----------------------------------------------------------------------------------

-- Deletions that somebody accepted: more of the directory than readers let go without asking.
--
-- A reader stops when much of what it holds is gone from the database, since that is more often a
-- failed export than a company in dissolution. Whoever said once that the people are really gone
-- says it here for all readers: each lets pass what was accepted since it last looked, and no more.
--
-- Rows are only ever added. There is no key: a restored row may have the number of a transaction
-- of ours. It then names another cluster, and readers leave it out.

create table if not exists staffbook.accepted_deletions (
  changed_in xid8 not null default pg_current_xact_id(),
  departments bigint not null,
  users bigint not null,
  memberships bigint not null,
  at timestamptz not null default transaction_timestamp(),
  by_role text not null default current_user,
  system_identifier bigint not null default (pg_control_system()).system_identifier,
  constraint accepted_deletions_counts check (departments >= 0 and users >= 0 and memberships >= 0)
);

create index if not exists accepted_deletions_changed_in
  on staffbook.accepted_deletions (changed_in);

comment on table staffbook.accepted_deletions is
  'Transactions that removed much, and were meant to: readers let these deletions pass';
comment on column staffbook.accepted_deletions.changed_in is
  'Top-level transaction that removed the rows';
comment on column staffbook.accepted_deletions.departments is 'Departments that it removed';
comment on column staffbook.accepted_deletions.users is 'Users that it removed';
comment on column staffbook.accepted_deletions.memberships is
  'Memberships that it removed, those of removed users included';
comment on column staffbook.accepted_deletions.at is 'When the transaction began';
comment on column staffbook.accepted_deletions.by_role is 'The role that accepted them';
comment on column staffbook.accepted_deletions.system_identifier is
  'The cluster that the transaction belongs to; a restored row names another';

-- Who accepts deletions says how many they were, and nothing else; of those who do not own the schema it
-- is believed only as far as the transaction has really removed them.
create or replace function staffbook.check_acceptance() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  real record;
begin
  if tg_relid <> 'staffbook.accepted_deletions'::regclass then
    raise insufficient_privilege
      using message = 'check_acceptance() belongs to staffbook.accepted_deletions';
  end if;
  if pg_has_role(new.by_role, (select c.relowner from pg_class c where c.oid = tg_relid), 'usage') then
    return null;
  end if;
  select count(*) filter (where t.kind = 'department') as departments,
      count(*) filter (where t.kind = 'user') as users,
      count(*) filter (where t.kind = 'membership') as memberships
    into real
    from (select distinct t.kind, t.key1, t.key2 from staffbook.tombstones t
        where t.changed_in = pg_current_xact_id()) t
    where not exists (select from staffbook.departments d where t.kind = 'department' and d.id = t.key1)
      and not exists (select from staffbook.users u where t.kind = 'user' and u.id = t.key1)
      and not exists (select from staffbook.memberships m
        where t.kind = 'membership' and m.user_id = t.key1 and m.department_id = t.key2);
  select real.departments - coalesce(sum(a.departments), 0) as departments,
      real.users - coalesce(sum(a.users), 0) as users,
      real.memberships - coalesce(sum(a.memberships), 0) as memberships
    into real from staffbook.accepted_deletions a
    where a.changed_in = pg_current_xact_id() and a.at = transaction_timestamp();
  if least(real.departments, real.users, real.memberships) < 0 then
    raise exception 'more deletions are accepted than this transaction has made'
      using errcode = 'check_violation', schema = 'staffbook', table = 'accepted_deletions',
        constraint = 'accepted_deletions_real';
  end if;
  return null;
end
$function$;

revoke execute on function staffbook.check_acceptance() from public;

comment on function staffbook.check_acceptance() is
  'Trigger: refuses accepted deletions that the transaction has not made';

-- Notices ---------------------------------------------------------------------------------------------

-- Tells whoever waits that something was written: NOTIFY staffbook, once for a transaction.
--
-- PostgreSQL lets transactions that notify commit one after the other: each holds a lock of the whole
-- cluster from before its commit until after it (async.c, PreCommit_Notify), and so none shares
-- another's flush of the log. Notifying always took 16 writers more than half of their commits. So a
-- transaction notifies only while somebody waits who was not told yet.
--
-- Whoever waits holds the advisory locks ('bell' in ASCII, 0 to 15) in share mode, and lets go of them
-- as soon as it is told, until it has read what is new and waits again. A writer looks whether it
-- gets one of them: that waits for nobody, writes nothing and takes microseconds, and the locks of
-- somebody who dies go with the session. Writers would take one another for somebody who waits if
-- they looked at the same lock in the same moment; with one lock for all, 3 of 100 commits of 16
-- writers were told to nobody. By their process numbers they look at different ones.
--
-- A transaction that looked before somebody began to wait says nothing and may end later. Hence
-- whoever begins to wait looks again once every transaction that was under way has ended.
--
-- It runs with the writer's rights, since it touches no table. It is called where a transaction ends, also
-- inside a function that runs with its owner's rights: a type that a writer's search_path finds must not
-- become part of it.
create or replace function staffbook.give_notice() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $function$
declare
  bell constant int := 1650814060;  -- 'bell' in ASCII
  place constant int := pg_backend_pid() & 15;
  nobody_waits constant boolean := case when pg_try_advisory_lock(bell, place)
    then pg_advisory_unlock(bell, place) else false end;
  statement constant text := current_query();
begin
  if nobody_waits then return null; end if;
  -- A transaction that notified cannot be prepared, and this may run because it is about to be: of the
  -- statement under way, only its text is known. Where there is none, the session is at the end of a
  -- sequence of messages, which prepares nothing, or applies what another server replicates.
  if current_setting('max_prepared_transactions') = '0'
    or statement <> '' and statement !~* 'prepare.*transaction'
    or coalesce(statement, '') = '' and current_setting('session_replication_role') <> 'replica'
  then
    perform pg_notify('staffbook', '');
  end if;
  return null;
end
$function$;

revoke execute on function staffbook.give_notice() from public;

comment on function staffbook.give_notice() is
  'Trigger: tells at the end of a transaction that something was written, if somebody waits for it';
