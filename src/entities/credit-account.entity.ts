import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';

/** The balance of a tenant and the sequence of its last entry (docs/rules.md#credits). */
@Entity('credit_account')
@Check('ck_credit_account_balance', `balance >= 0`)
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_credit_account_tenant' })
export class CreditAccount {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_credit_account' })
  tenantId: string;

  @Column('integer')
  balance: number;

  @Column('integer')
  entrySequence: number;
}
