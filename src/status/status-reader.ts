import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AuthoritySettings, type Configuration, CONFIGURATION } from '../config/configuration.js';
import { type Caller, TenantTransactions } from '../database/in-tenant.js';
import { NotFoundError } from '../errors/api-error.js';
import { READ_STATUS, type StatusRow } from './status.sql.js';

@Injectable()
export class StatusReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** @throws NotFoundError (404) if the caller has no such batch */
  async read(caller: Caller, submissionBatchId: string): Promise<StatusRow[]> {
    const { clientId } = this.getAuthority(caller);
    const parameters = [caller.tenantId, caller.environment, submissionBatchId, clientId];
    const rows = await this.transactions.inShare(caller, () =>
      this.dataSource.query<StatusRow[]>(READ_STATUS, parameters),
    );
    if (rows.length === 0) throw new NotFoundError('submission batch');
    return rows;
  }

  getAuthority({ environment }: Pick<Caller, 'environment'>): AuthoritySettings {
    const authority = this.configuration.authorities[environment];
    if (authority === undefined) throw new Error(`A key of ${environment}, which is not served, passed the guard`);
    return authority;
  }
}
