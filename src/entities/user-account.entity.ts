import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** Somebody who signs in to the dashboard. `email` is in small letters. */
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

  /** Argon2id, in its own encoded form; the API's role may write it and not read it. */
  @Column('text', { select: false })
  passwordHash: string;

  /** Only changed later, by an operator's command. */
  @Column({ type: 'boolean', default: false, insert: false })
  isOperator: boolean;

  /** Since when they may not sign in; null: they may. */
  @Column({ type: 'timestamptz', nullable: true, insert: false })
  disabledAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;
}
