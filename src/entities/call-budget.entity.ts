import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** The shared call budget of one API of the authority. */
@Entity('call_budget')
export class CallBudget {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_call_budget' })
  clientId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_call_budget' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_call_budget' })
  api: string;

  @Column('timestamptz')
  nextAt: Date;

  @Column('timestamptz')
  blockedUntil: Date;

  @Column('timestamptz', { nullable: true })
  blockedSince: Date | null;

  @Column('text', { nullable: true })
  blockedReason: string | null;

  @Column('integer', { default: 0 })
  failures: number;
}
