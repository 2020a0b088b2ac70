import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Failed sign-ins of an e-mail address or from an address of the network, and the organisations that signed up from
 * one.
 */
@Entity('sign_in_throttle')
export class SignInThrottle {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_sign_in_throttle' })
  subject: string;

  @Column('integer')
  tries: number;

  @Column('timestamptz')
  blockedUntil: Date;

  @Column('timestamptz')
  updatedAt: Date;
}
