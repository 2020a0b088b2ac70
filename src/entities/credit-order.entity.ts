import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import { UserAccount } from './user-account.entity.js';

/** An order of credits. An operator confirms the payment, which grants them. */
@Entity('credit_order')
@Check('ck_credit_order_status', `status IN ('Requested', 'Paid', 'Refused', 'Cancelled')`)
@Check('ck_credit_order_lot', `(status = 'Paid') = (lot_id IS NOT NULL)`)
@Check('ck_credit_order_credits', `credits > 0`)
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_credit_order_tenant' })
@ForeignKey(() => UserAccount, ['requestedBy'], ['id'], { name: 'fk_credit_order_requester' })
@ForeignKey(() => UserAccount, ['decidedBy'], ['id'], { name: 'fk_credit_order_decider' })
@Index('ix_credit_order_requested', ['requestedAt'], { where: `status = 'Requested'` })
export class CreditOrder {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_credit_order' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_credit_order' })
  id: string;

  @Column('integer')
  credits: number;

  /** In RM. Null for an order without a pack. */
  @Column('numeric', { precision: 12, scale: 2, nullable: true })
  price: string | null;

  @Column('text', { default: 'Requested' })
  status: string;

  @Column('text', { nullable: true })
  note: string | null;

  @Column('uuid')
  requestedBy: string;

  @Column('timestamptz')
  requestedAt: Date;

  @Column('uuid', { nullable: true })
  decidedBy: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('uuid', { nullable: true })
  lotId: string | null;
}
