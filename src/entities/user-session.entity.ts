import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { UserAccount } from './user-account.entity.js';

/** A dashboard session. Only the SHA-256 of its cookie is stored. */
@Entity('user_session')
@Unique('uq_user_session_digest', ['digest'])
@ForeignKey(() => UserAccount, ['userId'], ['id'], { name: 'fk_user_session_user' })
@Index('ix_user_session_user', ['userId'])
export class UserSession {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_user_session' })
  id: string;

  @Column('uuid')
  userId: string;

  @Column('bytea')
  digest: Buffer;

  @Column('text')
  ip: string;

  @Column('text')
  userAgent: string;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  lastSeenAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
