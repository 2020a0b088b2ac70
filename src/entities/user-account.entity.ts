import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A dashboard user. `email` is in lower case. */
@Entity('user_account')
@Unique('uq_user_account_email', ['email'])
@Check('ck_user_account_email', `email = lower(email)`)
export class UserAccount {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_user_account' })
  id: string;

  @Column('text')
  email: string;

  @Column('text')
  name: string;

  /** Encoded Argon2id hash. The API's role may write but not read it. */
  @Column('text', { select: false })
  passwordHash: string;

  /** Set only by an operator's command. */
  @Column({ type: 'boolean', default: false, insert: false })
  isOperator: boolean;

  /** When the user was disabled; null if they may sign in. */
  @Column({ type: 'timestamptz', nullable: true, insert: false })
  disabledAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;
}
