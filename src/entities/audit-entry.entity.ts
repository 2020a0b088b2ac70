import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserAccount } from './user-account.entity.js';

/** An append-only log of changes. Entries without an organisation use the nil UUID. */
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

  @Column('text')
  actor: string;

  @Column('text')
  action: string;

  /** Human-readable name of the changed object. */
  @Column('text')
  subject: string;

  @Column('jsonb')
  details: object;

  @Column('text', { nullable: true })
  ip: string | null;
}
