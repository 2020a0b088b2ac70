import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** The latest report of a running API or dispatcher. */
@Entity('service_process')
export class ServiceProcess {
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

  @Column('text')
  version: string;

  @Column('text', { array: true })
  environments: Environment[];

  /** Fingerprints by setting name (src/config/setting-fingerprints.ts). */
  @Column('jsonb')
  fingerprints: Record<string, string | null>;

  @Column('jsonb')
  logins: Partial<Record<Environment, { at: string; isAccepted: boolean | null; result: string }>>;

  @Column('timestamptz')
  startedAt: Date;

  @Column('timestamptz')
  reportedAt: Date;
}
