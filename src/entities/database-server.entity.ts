import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The database server in use. `recognise_server` uses this row to distinguish a promotion from a restore. */
@Entity('database_server')
@Check('ck_database_server_one', `id = 1`)
export class DatabaseServer {
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_database_server', default: 1 })
  id: number;

  /** The cluster's system identifier from `pg_control_system()`. */
  @Column('text')
  systemIdentifier: string;

  /** The WAL timeline: the first eight digits of a WAL file name. */
  @Column('text')
  timeline: string;

  /** Updated every few seconds by a running dispatcher. */
  @Column('timestamptz')
  seenAt: Date;
}
