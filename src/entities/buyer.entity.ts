import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** A distinct pair of buyer name and TIN. */
@Entity('buyer')
export class Buyer {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_buyer' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_buyer' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_buyer', collation: 'C' })
  tin: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_buyer' })
  name: string;

  @Column({ type: 'text', collation: 'C' })
  nameKey: string;
}
