import { Entity, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';

/** A word of a name of a buyer, as its search key; the first 50 characters of a longer one. */
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
