import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { UserAccount } from './user-account.entity.js';

/** A one-time link for setting a password. Only the SHA-256 of its secret is stored. */
@Entity('password_link')
@Unique('uq_password_link_digest', ['digest'])
@ForeignKey(() => UserAccount, ['userId'], ['id'], { name: 'fk_password_link_user' })
export class PasswordLink {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_password_link' })
  userId: string;

  @Column('bytea')
  digest: Buffer;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
