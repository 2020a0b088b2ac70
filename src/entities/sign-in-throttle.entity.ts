import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Attempts of a subject that are limited: sign-ins that fail, sign-ups, changes of passwords and keys. */
@Entity('sign_in_throttle')
export class SignInThrottle {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_sign_in_throttle' })
  subject: string;

  @Column('integer')
  tries: number;

  /** Since the attempts are counted. */
  @Column('integer', { default: 0 })
  refused: number;

  @Column('timestamptz')
  blockedUntil: Date;

  @Column('timestamptz')
  updatedAt: Date;
}
