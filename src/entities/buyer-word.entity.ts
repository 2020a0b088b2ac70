import { Entity, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** A word of a buyer's name as a search key, cut to 50 characters. */
@Entity('buyer_word')
export class BuyerWord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_buyer_word' })
  tenantId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_buyer_word' })
  environment: Environment;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_buyer_word', collation: 'C' })
  word: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_buyer_word', collation: 'C' })
  tin: string;
}
