-- Leads a database of step 14, 15 or 16 to step 17, before the files 0017_1 to 0017_9 are run: it alters tables,
-- drops what there is no more, and gives everybody who is and was there an identity.
--
-- Nothing of this is a change that history records: what would record it is off until 0017_9.

set local client_min_messages = warning;

lock table staffbook.departments, staffbook.users, staffbook.memberships, staffbook.fields
  in access exclusive mode;

-- Tables and history agree afterwards if they did before: an empty layout is filled in at the end.
update staffbook.history h set layout = '' where h.layout = staffbook.layout();

alter table staffbook.visibility_rules disable trigger record_rule;
alter table staffbook.visibility_groups disable trigger record_rule;

-- What is no more --------------------------------------------------------------------------------------

drop trigger note_renamed on staffbook.users;
drop trigger check_holder on staffbook.tokens;
drop function staffbook.note_renamed(), staffbook.renamings(text), staffbook.ids_of_person(text),
  staffbook.forget_person(text), staffbook.forget_in_rules(text[]), staffbook.without_people(jsonb, text[]),
  staffbook.unrecorded_changes(), staffbook.unrecorded_change(text, text, text);

-- What lists own is for those who import (step 15).
do $block$
declare
  role name;
begin
  foreach role in array
    '{staffbook_reader,staffbook_historian,staffbook_admin,staffbook_server}'::name[]
  loop
    continue when not exists (select from pg_catalog.pg_roles r where r.rolname = role);
    execute format(
      'revoke all on staffbook.sources, staffbook.source_records, staffbook.source_files from %I', role);
  end loop;
end
$block$;

-- What was recorded of a declaration before it said who sees the values has the defaults (step 12).
update staffbook.changes c set after = '{"visible": "everybody", "for_oneself": true}' || c.after
  where c.kind = 'field' and not c.after ? 'visible' and not c.is_forgotten;

-- Columns ----------------------------------------------------------------------------------------------

alter table staffbook.departments
  add column identity uuid not null default gen_random_uuid(),
  add constraint departments_identity unique (identity);
alter table staffbook.users
  add column identity uuid not null default gen_random_uuid(),
  add constraint users_identity unique (identity);
alter table staffbook.changes add column identity uuid;
alter table staffbook.visibility_rules
  add column target_identity uuid, add column viewer_identity uuid;
alter table staffbook.visibility_groups add column identity uuid;
alter table staffbook.source_records add column identity uuid;
alter table staffbook.tokens add column identity uuid;

-- History ----------------------------------------------------------------------------------------------

-- Users who ended a transaction with another id than they began it with.
create table staffbook.noted_renamings as
  with recursive held(transaction, former, latter, noted, place) as (
    select r.transaction, r.key2, r.key1, r.place, r.place from staffbook.changes r
      where r.kind = 'renamed' and r.key1 <> '' and r.key2 <> ''
        and not exists (select from staffbook.changes e
          where e.transaction = r.transaction and e.kind = 'renamed' and e.key1 = r.key2
            and e.place < r.place)
    union all
    select h.transaction, h.former, n.key1, h.noted, n.place
      from held h cross join lateral (
        select r.key1, r.place from staffbook.changes r
          where r.transaction = h.transaction and r.kind = 'renamed' and r.key2 = h.latter
            and r.place > h.place
          order by r.place limit 1) n
  )
  select distinct on (h.transaction, h.former) h.transaction, h.former, h.latter, h.noted, h.place as last
    from held h order by h.transaction, h.former, h.place desc;

-- Of several who got one id, the last one had it in the end.
update staffbook.noted_renamings r set latter = null
  where exists (select from staffbook.noted_renamings l
    where l.transaction = r.transaction and l.latter = r.latter
      and (l.last, l.noted) > (r.last, r.noted));
delete from staffbook.noted_renamings r where r.former = r.latter;

-- An id that one user had before a transaction and another one afterwards stands as one change of one record,
-- also where the one was removed. It becomes the removal of the one and the addition of the other; the note of
-- the one who got the id has the place for the second row, otherwise that of the one who left it.
with divided as materialized (
  select c.transaction, c.place, c.key1, c.before, c.after, c.is_forgotten, c.key1 = r.latter as is_got,
      case when c.key1 = r.latter then r.last else r.noted end as noted
    from staffbook.noted_renamings r
      join staffbook.changes c on c.transaction = r.transaction and c.key1 in (r.former, r.latter)
    where c.kind = 'user' and c.before is not null and c.after is not null
)
update staffbook.changes c
  set kind = 'user', key1 = d.key1, key2 = '', is_forgotten = d.is_forgotten,
    before = case when c.place = least(d.place, d.noted) then d.before end,
    after = case when c.place = greatest(d.place, d.noted) then d.after end
  from divided d
  where c.transaction = d.transaction and c.place in (d.place, d.noted)
    and (d.is_got is true or not exists (select from divided o
      where o.transaction = d.transaction and o.is_got
        and (o.place = d.place or o.noted = d.noted)));

delete from staffbook.changes c where c.kind = 'renamed';
update staffbook.transactions t
  set counts = (
    select coalesce(jsonb_object_agg(k.kind, jsonb_build_array(k.added, k.changed, k.removed)), '{}')
      from (
        select c.kind, count(*) filter (where c.before is null) as added,
            count(*) filter (where c.before is not null and c.after is not null) as changed,
            count(*) filter (where c.after is null) as removed
          from staffbook.changes c where c.transaction = t.number group by c.kind) k)
  where t.counts ? 'renamed';
delete from staffbook.transactions t where t.counts = '{}';

-- An id is one record's from one addition to the next. The one that is not removed again is the record that is
-- there; whoever got another id has the identity of the last one.
with recursive held as materialized (
  select c.transaction, c.place, c.kind, c.key1, c.before is null as begins, c.after is null as ends,
      count(*) filter (where c.before is null)
        over (partition by c.kind, c.key1 order by c.place) as number
    from staffbook.changes c where c.kind in ('department', 'user') and c.key1 <> ''
), period as materialized (
  select h.kind, h.key1, h.number, min(h.transaction) filter (where h.begins) as begun_in,
      max(h.transaction) filter (where h.ends) as ended_in,
      h.number = max(h.number) over (partition by h.kind, h.key1) as is_last
    from held h group by h.kind, h.key1, h.number
), next as materialized (
  select f.key1, f.number, l.key1 as next_key1, l.number as next_number
    from staffbook.noted_renamings r
      join period f on f.kind = 'user' and f.key1 = r.former and f.ended_in = r.transaction
      join period l on l.kind = 'user' and l.key1 = r.latter and l.begun_in = r.transaction
), whose(kind, key1, number, identity) as (
  select p.kind, p.key1, p.number, coalesce(u.identity, d.identity, gen_random_uuid())
    from period p
      left join staffbook.users u
        on p.kind = 'user' and u.id = p.key1 and p.is_last and p.ended_in is null
      left join staffbook.departments d
        on p.kind = 'department' and d.id = p.key1 and p.is_last and p.ended_in is null
    where not exists (select from next n
      where p.kind = 'user' and n.key1 = p.key1 and n.number = p.number)
  union all
  select w.kind, n.key1, n.number, w.identity
    from whose w join next n on n.next_key1 = w.key1 and n.next_number = w.number
    where w.kind = 'user'
)
update staffbook.changes c set identity = w.identity
  from held h join whose w on w.kind = h.kind and w.key1 = h.key1 and w.number = h.number
  where c.transaction = h.transaction and c.place = h.place;

drop table staffbook.noted_renamings;
drop index staffbook.changes_renamed;
alter table staffbook.changes
  drop constraint changes_kind,
  add constraint changes_kind check (kind in (
    'department', 'user', 'membership', 'field', 'rule', 'group', 'forgotten'));

-- What names records -----------------------------------------------------------------------------------

-- Of an id that nobody has, the one who had it last.
create function staffbook.meant(subject text, id text) returns uuid language sql stable
as $function$
  select coalesce((select d.identity from staffbook.departments d where $1 = 'department' and d.id = $2),
    (select u.identity from staffbook.users u where $1 <> 'department' and u.id = $2),
    (select c.identity from staffbook.changes c
      where c.key1 = $2 and c.identity is not null
        and c.kind = case $1 when 'department' then 'department' else 'user' end
      order by c.place desc limit 1))
$function$;

update staffbook.visibility_rules r
  set target_identity = staffbook.meant(r.target, case
      when r.target in ('department', 'person') then r.target_id
      when r.target = 'people' and r.target_field = any (f.naming) then r.target_value end),
    viewer_identity = staffbook.meant(r.viewer, case
      when r.viewer in ('department', 'person') then r.viewer_id
      when r.viewer = 'people' and r.viewer_field = any (f.naming) then r.viewer_value end)
  from (
    select array_agg(f.name) || 'id'::text from staffbook.fields f
      where f.of = 'user' and f.kind = 'person') f(naming);
-- Those by a value that is somebody's id follow the person (step 16).
update staffbook.visibility_rules r set target_value = u.id
  from staffbook.users u where u.identity = r.target_identity and r.target = 'people';
update staffbook.visibility_rules r set viewer_value = u.id
  from staffbook.users u where u.identity = r.viewer_identity and r.viewer = 'people';
update staffbook.visibility_groups g set identity = staffbook.meant('user', g.user_id);
update staffbook.source_records r set identity = staffbook.meant(r.kind, r.id);

-- History has the rules and groups of today as they are.
update staffbook.changes c
  set after = c.after || coalesce(
    (select jsonb_build_object('target_identity', r.target_identity, 'target_value', r.target_value,
        'viewer_identity', r.viewer_identity, 'viewer_value', r.viewer_value)
      from staffbook.visibility_rules r where c.kind = 'rule' and r.id::text = c.key1),
    (select jsonb_build_object('identity', g.identity) from staffbook.visibility_groups g
      where c.kind = 'group' and g.name = c.key1 and g.user_id = c.key2))
  where c.kind in ('rule', 'group') and c.after is not null and not c.is_forgotten
    and case c.kind
      when 'rule' then exists (
        select from staffbook.visibility_rules r where r.id::text = c.key1)
      else exists (select from staffbook.visibility_groups g
        where g.name = c.key1 and g.user_id = c.key2) end
    and not exists (select from staffbook.changes l
      where l.key1 = c.key1 and l.kind = c.kind and l.key2 = c.key2 and l.place > c.place);

drop function staffbook.meant(text, text);

delete from staffbook.tokens t
  where t.user_id is not null and not exists (select from staffbook.users u where u.id = t.user_id);
update staffbook.tokens t set identity = u.identity from staffbook.users u where u.id = t.user_id;
alter table staffbook.tokens
  add constraint tokens_identity check ((user_id is null) = (identity is null));

delete from staffbook.migrations m where m.version < 17;
