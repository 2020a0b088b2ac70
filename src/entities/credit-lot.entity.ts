import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CreditAccount } from './credit-account.entity.js';

/** Credits granted together, spendable until they expire (docs/rules.md#credits). */
@Entity('credit_lot')
@Check('ck_credit_lot_remaining', `remaining BETWEEN 0 AND granted`)
@Check('ck_credit_lot_granted', `granted > 0`)
@Check('ck_credit_lot_environment', `environment = 'sandbox'`)
@ForeignKey(() => CreditAccount, ['tenantId'], ['tenantId'], { name: 'fk_credit_lot_account' })
@Index('ix_credit_lot_open', ['tenantId', 'expiresAt', 'id'], { where: `remaining > 0` })
export class CreditLot {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_credit_lot' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_credit_lot' })
  id: string;

  @Column('integer')
  granted: number;

  @Column('integer')
  remaining: number;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz')
  createdAt: Date;

  /** Null means both environments. */
  @Column('text', { nullable: true })
  environment: 'sandbox' | null;
}
