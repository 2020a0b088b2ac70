import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { CreditAccount } from './credit-account.entity.js';

/** A change of a balance. Append-only (docs/rules.md#credits). */
@Entity('credit_entry')
@Unique('uq_credit_entry_cause', ['tenantId', 'kind', 'causeId'])
@Check('ck_credit_entry_balance', `balance_after >= 0`)
@Check(
  'ck_credit_entry_amount',
  `CASE kind WHEN 'grant' THEN amount > 0 WHEN 'submit' THEN amount < 0 WHEN 'cancel' THEN amount < 0 WHEN 'expire' THEN amount < 0 ELSE false END`,
)
@ForeignKey(() => CreditAccount, ['tenantId'], ['tenantId'], { name: 'fk_credit_entry_account' })
export class CreditEntry {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_credit_entry' })
  tenantId: string;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_credit_entry' })
  sequence: number;

  @Column('text')
  kind: string;

  @Column('integer')
  amount: number;

  @Column('integer')
  balanceAfter: number;

  @Column('text', { nullable: true })
  environment: string | null;

  @Column('uuid')
  causeId: string;

  @Column('timestamptz')
  createdAt: Date;
}
