import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Failed sign-ins of an e-mail address or from an address of the network. */
@Entity('sign_in_throttle')
export class SignInThrottle {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_sign_in_throttle' })
  subject: string;

  @Column('integer')
  failures: number;

  @Column('timestamptz')
  blockedUntil: Date;

  @Column('timestamptz')
  updatedAt: Date;
}
