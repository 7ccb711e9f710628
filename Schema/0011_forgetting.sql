-- Forgetting finds all that history has of a person: under every id that they had, in the reasons of
-- transactions, and in the keys that are kept for readers.
--
-- May be run again.

set local client_min_messages = warning;

-- An UPDATE of an id is on record as one person who was removed and another who was added; nothing
-- in these two changes says that they are one. The row for it holds both ids and no values.
do $block$
begin
  if not exists (
    select from pg_catalog.pg_constraint c
      where c.conname = 'changes_kind' and c.conrelid = 'staffbook.changes'::regclass
        and pg_catalog.pg_get_constraintdef(c.oid) like '%renamed%')
  then
    alter table staffbook.changes drop constraint if exists changes_kind;
    alter table staffbook.changes add constraint changes_kind
      check (kind in ('department', 'user', 'membership', 'field', 'renamed', 'forgotten'));
  end if;
end
$block$;

create index if not exists changes_renamed on staffbook.changes (key2) where kind = 'renamed';

comment on column staffbook.changes.kind is
  'department, user, membership, field; renamed: a user''s id; or forgotten: here values were erased';
comment on column staffbook.changes.key1 is
  'Id of the department or user, of a renamed one the new id; a membership''s user; whose field it '
  'is; empty once forgotten';
comment on column staffbook.changes.key2 is
  'A membership''s department; a field''s name; a renamed user''s former id; otherwise empty';
comment on column staffbook.epoch.epoch is
  'Renewed when a table is truncated, and when tombstones are forgotten';

create or replace function staffbook.note_renamed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  own bigint;
begin
  if tg_relid <> 'staffbook.users'::regclass then
    raise insufficient_privilege using message = 'note_renamed() belongs to staffbook.users';
  end if;
  own := staffbook.transaction_number();
  insert into staffbook.changes (transaction, kind, key1, key2)
    values (own, 'renamed', new.id, old.id);
  perform staffbook.enlist_transaction(own);
  return null;
end
$function$;

revoke execute on function staffbook.note_renamed() from public;

comment on function staffbook.note_renamed() is 'Trigger: records that a user has another id';

-- Notes are no sign of anything that was written past the triggers.
do $block$
declare
  former constant text := staffbook.layout();
begin
  if not exists (
    select from pg_catalog.pg_trigger t
      where t.tgname = 'note_renamed' and t.tgrelid = 'staffbook.users'::regclass and t.tgenabled = 'A')
  then
    drop trigger if exists note_renamed on staffbook.users;
    create trigger note_renamed after update on staffbook.users
      for each row when (old.id is distinct from new.id) execute function staffbook.note_renamed();
    alter table staffbook.users enable always trigger note_renamed;
    update staffbook.history h set layout = staffbook.layout() where h.layout = former;
  end if;
end
$block$;

-- The notes of one transaction are no changes of one record: back and forth are two of them.
create or replace function staffbook.merge_changes(number bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp set jit = off
set enable_nestloop = off set enable_mergejoin = off set work_mem = '64MB'
as $function$
begin
  with several as (
    select c.kind, c.key1, c.key2 from staffbook.changes c
      where c.transaction = number and c.kind not in ('renamed', 'forgotten')
      group by c.kind, c.key1, c.key2 having count(*) > 1
  ), taken as (
    delete from staffbook.changes c using several s
      where c.transaction = number and c.kind = s.kind and c.key1 = s.key1 and c.key2 = s.key2
      returning c.*
  ), first as (
    select distinct on (r.kind, r.key1, r.key2) r.* from (
      select t.kind, t.key1, t.key2, t.before as state from taken t
      except all
      select t.kind, t.key1, t.key2, t.after from taken t) r
    order by r.kind, r.key1, r.key2
  ), last as (
    select distinct on (r.kind, r.key1, r.key2) r.* from (
      select t.kind, t.key1, t.key2, t.after as state from taken t
      except all
      select t.kind, t.key1, t.key2, t.before from taken t) r
    order by r.kind, r.key1, r.key2
  )
  insert into staffbook.changes (transaction, kind, key1, key2, before, after)
    select number, f.kind, f.key1, f.key2, f.state, l.state
      from first f join last l
        on l.kind = f.kind and l.key1 = f.key1 and l.key2 = f.key2;
end
$function$;

-- Where an id became another one. Before this step nothing was noted, and lists with other ids remove
-- and add: then it is whoever was removed and added in one transaction with the same name and the
-- same address, or the same values: two people of one name may share a number.
create or replace function staffbook.renamings(id text)
returns table (former text, latter text, place bigint, transaction bigint)
language sql stable set search_path = pg_catalog, pg_temp
as $function$
  select c.key2, c.key1, c.place, c.transaction from staffbook.changes c
    where c.kind = 'renamed'
      and (c.key1 = renamings.id collate "C" or c.key2 = renamings.id collate "C")
  union all
  select case when own.after is null then own.key1 else other.key1 end,
      case when own.after is null then other.key1 else own.key1 end,
      least(own.place, other.place), own.transaction
    from staffbook.changes own
      join staffbook.changes other on other.transaction = own.transaction
        and other.kind = 'user' and other.key1 not in (own.key1, '')
        and (other.before is null) = (own.after is null)
        and (other.after is null) = (own.before is null)
      cross join lateral (
        select coalesce(own.before, own.after) as one, coalesce(other.before, other.after) as two) s
    where own.kind = 'user' and own.key1 = renamings.id collate "C"
      and (own.before is null) <> (own.after is null)
      and s.one ->> 'name' = s.two ->> 'name'
      and (s.one = s.two or nullif(s.one ->> 'email', '') = s.two ->> 'email')
      and not exists (select from staffbook.changes r
        where r.transaction = own.transaction and r.kind = 'renamed'
          and (r.key1 in (own.key1, other.key1) or r.key2 in (own.key1, other.key1)))
$function$;

revoke execute on function staffbook.renamings(text) from public;

comment on function staffbook.renamings(text) is
  'Transactions in which a user''s id became this one, or this one another';

-- An id that was given away may be somebody else's before and afterwards: what belongs to the person
-- are the changes in between, and all of the transactions at both ends.
create or replace function staffbook.ids_of_person(id text)
returns table (key text, since bigint, until bigint, first bigint, last bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $function$
declare
  edge record;
begin
  key := ids_of_person.id;
  select r.* into edge from staffbook.renamings(key) r order by r.place desc limit 1;
  if edge.former = key and not exists (
      select from staffbook.users u where u.id = key collate "C"
      union all
      select from staffbook.changes c where c.kind = 'user' and c.key1 = key collate "C"
        and c.place > edge.place and c.transaction <> edge.transaction) then
    -- Nobody has it since: the person goes by the ids that followed.
    while edge.former = key loop
      key := edge.latter;
      since := edge.place;
      select r.* into edge from staffbook.renamings(key) r
        where r.place > since order by r.place limit 1;
    end loop;
    until := edge.place;
    last := edge.transaction;
  end if;
  loop
    select r.* into edge from staffbook.renamings(key) r
      where until is null or r.place < until order by r.place desc limit 1;
    since := edge.place;
    first := edge.transaction;
    return next;
    exit when edge.latter is distinct from key or edge.former = '';
    key := edge.former;
    until := edge.place;
    last := edge.transaction;
  end loop;
end
$function$;

revoke execute on function staffbook.ids_of_person(text) from public;

comment on function staffbook.ids_of_person(text) is
  'Ids that a user has or had, the last one first, and between which changes each was theirs';

-- Words are compared as words: Ada is not named by a reason that names Adam.
create or replace function staffbook.in_words(text) returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $function$
  select ' ' || regexp_replace(lower(normalize($1)), '[[:space:][:punct:]]+', ' ', 'g') || ' '
$function$;

revoke execute on function staffbook.in_words(text) from public;

comment on function staffbook.in_words(text) is
  'A text in lower case, its words between single blanks';

-- The law of many places lets people ask for it. That something was forgotten, and by whom, stays.
--
-- A reason goes where it has a name, address or id of the person; of a transaction that changed them,
-- also where it has one word of a name. An id of digits alone, or of two characters, is looked for in
-- these transactions only: elsewhere it is most likely something else.
--
-- Readers that have not seen a deletion yet learn of it from its tombstone; once that is gone, the
-- new epoch lets all of them compare everything.
create or replace function staffbook.forget_person(
  id text, out ids text[], out changes bigint, out reasons bigint, out tombstones bigint
) returns record
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $function$
declare
  own constant bigint := staffbook.transaction_number();
  is_there boolean;
  places bigint[];
  numbers bigint[];
  names text[];
  general text[];
  special text[];
begin
  select array_agg(p.key order by n), bool_or(n = 1 and p.until is null and exists (
        select from staffbook.users u where u.id = p.key collate "C"))
    into ids, is_there
    from staffbook.ids_of_person(forget_person.id)
      with ordinality p(key, since, until, first, last, n);

  select array_agg(c.place), array_agg(distinct c.transaction) into places, numbers
    from staffbook.ids_of_person(forget_person.id) p
      join staffbook.changes c on c.key1 = p.key collate "C"
        and case when c.kind = 'renamed' then c.place = p.since
          else (p.since is null or c.place > p.since or c.transaction = p.first)
            and (p.until is null or c.place < p.until or c.transaction = p.last) end
    where c.kind in ('user', 'membership', 'renamed');

  -- What names the person anywhere: an address, a name of several words or of other letters than ours, an
  -- id with letters. One ASCII word may be any word, and an address such as "-" would be in every reason.
  select array_agg(distinct staffbook.in_words(v.state ->> 'name')),
      array_agg(distinct staffbook.in_words(w.word))
        filter (where btrim(staffbook.in_words(w.word)) ~ '[^[:digit:][:space:]]'
          and char_length(btrim(staffbook.in_words(w.word))) > 1)
    into names, general
    from (
      select unnest(array[c.before, c.after]) as state from staffbook.changes c
        where c.key1 = any(ids) and c.place = any(places) and c.kind = 'user'
      union all
      select to_jsonb(u) from staffbook.users u where is_there and u.id = ids[1] collate "C") v
    left join lateral (
      select v.state ->> 'name'
        where btrim(staffbook.in_words(v.state ->> 'name')) like '% %'
          or octet_length(v.state ->> 'name') > char_length(v.state ->> 'name')
      union all
      select v.state ->> 'email' where v.state ->> 'email' like '%_@_%'
      union all
      select k.id from unnest(ids) k(id)
        where char_length(k.id) > 2 and k.id !~ '^[[:digit:][:punct:][:space:]]*$') w(word) on true;
  select array_agg(distinct w.word) into special from (
      select ' ' || p.part || ' ' from unnest(names) n(name), unnest(string_to_array(btrim(n.name), ' ')) p(part)
        where char_length(p.part) > 1
      union all select staffbook.in_words(k.id) from unnest(ids) k(id)
    ) w(word) where btrim(w.word) <> '';

  with erased as (
    update staffbook.changes c
      set key1 = case when is_there and c.key1 = ids[1] then c.key1 else '' end,
        key2 = case when c.kind = 'renamed' then '' else c.key2 end,
        before = case when c.before is not null then '{}'::jsonb end,
        after = case when c.after is not null then '{}'::jsonb end,
        is_forgotten = true
      where c.key1 = any(ids) and c.place = any(places)
        and not (c.is_forgotten and is_there and c.key1 = ids[1])
      returning c.kind
  )
  select count(*) filter (where e.kind <> 'renamed') into changes from erased e;

  update staffbook.transactions t set reason = '(forgotten)'
    where t.reason <> '(forgotten)' and t.number <> own and exists (
      select from staffbook.in_words(t.reason) r(words)
        where exists (select from unnest(general) g(word)
            where strpos(r.words, case when g.word ~ '[a-z]' then g.word else btrim(g.word) end) > 0)
          or t.number = any(numbers)
            and exists (select from unnest(special) s(word) where strpos(r.words, s.word) > 0));
  get diagnostics reasons = row_count;

  delete from staffbook.tombstones t
    where t.kind in ('user', 'membership') and t.key1 = any(ids)
      and not exists (select from staffbook.users u where u.id = t.key1);
  get diagnostics tombstones = row_count;
  if tombstones > 0 then update staffbook.epoch set epoch = gen_random_uuid(); end if;

  if changes + reasons + tombstones > 0 then
    insert into staffbook.changes (transaction, kind, key1) values (own, 'forgotten', '');
    perform staffbook.enlist_transaction(own);
  end if;
end
$function$;

revoke execute on function staffbook.forget_person(text) from public;

comment on function staffbook.forget_person(text) is
  'Erases a user''s values from history under all their ids, and ids that nobody has now; returns '
  'the ids, and of how many changes, reasons and tombstones';

create or replace function staffbook.forget_user(id text) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $function$
  select f.changes from staffbook.forget_person(forget_user.id) f
$function$;

revoke execute on function staffbook.forget_user(text) from public;

comment on function staffbook.forget_user(text) is
  'Erases as forget_person() does; returns of how many changes';
