import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** A running API or dispatcher, as it reports itself. */
@Entity('service_process')
export class ServiceProcess {
  /** New at each start. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_service_process' })
  id: string;

  @Column('text')
  role: 'api' | 'dispatcher';

  @Column('text')
  host: string;

  @Column('integer')
  pid: number;

  @Column('integer')
  metricsPort: number;

  /** The newest migration that the build has. */
  @Column('text')
  version: string;

  @Column('text', { array: true })
  environments: Environment[];

  /** By the name of a setting (src/config/setting-fingerprints.ts). */
  @Column('jsonb')
  fingerprints: Record<string, string | null>;

  /** The last login by environment. */
  @Column('jsonb')
  logins: Partial<Record<Environment, { at: string; isAccepted: boolean | null; result: string }>>;

  @Column('timestamptz')
  startedAt: Date;

  @Column('timestamptz')
  reportedAt: Date;
}
