-- Deletions that somebody accepted: more of the directory than readers let go without asking.
--
-- A reader stops when much of what it holds is gone from the database, since that is more often a
-- failed export than a company in dissolution. Whoever said once that the people are really gone
-- says it here for all readers: each lets pass what was accepted since it last looked, and no more.
--
-- Rows are only ever added. There is no key: a restored row may have the number of a transaction
-- of ours. It then names another cluster, and readers leave it out.

create table staffbook.accepted_deletions (
  changed_in xid8 not null default pg_current_xact_id(),
  departments bigint not null,
  users bigint not null,
  memberships bigint not null,
  at timestamptz not null default transaction_timestamp(),
  by_role text not null default current_user,
  system_identifier bigint not null default (pg_control_system()).system_identifier,
  constraint accepted_deletions_counts check (departments >= 0 and users >= 0 and memberships >= 0)
);

create index accepted_deletions_changed_in on staffbook.accepted_deletions (changed_in);

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
