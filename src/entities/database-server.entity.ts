import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The server that the service works on, one row: `recognise_server` tells a promoted standby from a restore by it. */
@Entity('database_server')
@Check('ck_database_server_one', `id = 1`)
export class DatabaseServer {
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_database_server', default: 1 })
  id: number;

  /** Of the cluster, as `pg_control_system()` shows it. */
  @Column('text')
  systemIdentifier: string;

  /** The first eight digits of its WAL files' names. */
  @Column('text')
  timeline: string;

  /** By a dispatcher, at most some seconds ago while one runs. */
  @Column('timestamptz')
  seenAt: Date;
}
