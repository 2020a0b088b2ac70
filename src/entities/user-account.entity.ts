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

  /** Encoded Argon2id hash, which the API's role cannot read. */
  @Column('text', { select: false })
  passwordHash: string;

  /** Set only by operator commands. */
  @Column({ type: 'boolean', default: false, insert: false })
  isOperator: boolean;

  @Column({ type: 'timestamptz', nullable: true, insert: false })
  disabledAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;
}
