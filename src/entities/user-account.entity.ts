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

  /** Argon2id, in its own encoded form. */
  @Column('text')
  passwordHash: string;

  @Column('boolean', { default: false })
  isOperator: boolean;

  /** Since when they may not sign in; null: they may. */
  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;
}
