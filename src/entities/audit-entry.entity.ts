import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserAccount } from './user-account.entity.js';

/** Who changed what; append-only. What belongs to no organisation stands under the nil UUID. */
@Entity('audit_entry')
@ForeignKey(() => UserAccount, ['userId'], ['id'], { name: 'fk_audit_entry_user' })
@Index('ix_audit_entry_id', ['id'])
export class AuditEntry {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_audit_entry' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_audit_entry' })
  id: string;

  @Column('timestamptz')
  at: Date;

  @Column('uuid', { nullable: true })
  userId: string | null;

  /** As whom: an e-mail address, kept as it was then. */
  @Column('text')
  actor: string;

  /** `key.created`: what was changed, and how. */
  @Column('text')
  action: string;

  /** What it was done to, as a person knows it. */
  @Column('text')
  subject: string;

  @Column('jsonb')
  details: object;

  @Column('text', { nullable: true })
  ip: string | null;
}
