import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Counter of limited attempts per subject: failed sign-ins, sign-ups, changes of passwords and keys. */
@Entity('sign_in_throttle')
export class SignInThrottle {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_sign_in_throttle' })
  subject: string;

  @Column('integer')
  tries: number;

  /** Refused attempts since the counter started. */
  @Column('integer', { default: 0 })
  refused: number;

  @Column('timestamptz')
  blockedUntil: Date;

  @Column('timestamptz')
  updatedAt: Date;
}
