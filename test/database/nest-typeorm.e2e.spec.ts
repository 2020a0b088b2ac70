import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { InjectDataSource, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthorityCall, AuthorityCalls, type SubmissionToSend } from '../../src/authority/authority-calls.js';
import { AuthorityClient } from '../../src/authority/authority-client.js';
import type { SubmitOutcome, TinOutcome, Traced } from '../../src/authority/outcomes.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { OPERATOR_DATA_SOURCE } from '../../src/database/database.module.js';
import { TenantTransactions } from '../../src/database/in-tenant.js';
import { SubmitLoop } from '../../src/dispatcher/submit/submit.loop.js';
import { Tenant } from '../../src/entities/tenant.entity.js';
import { ApiModule } from '../../src/processes/api.module.js';
import { DispatcherModule } from '../../src/processes/dispatcher.module.js';
import { TaxpayerService } from '../../src/taxpayer/taxpayer.service.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();
let module: TestingModule;
let tenant: TestTenant;

/** An ordinary Nest provider. */
@Injectable()
class Organisations {
  constructor(
    @InjectRepository(Tenant) readonly tenants: Repository<Tenant>,
    @InjectRepository(Tenant, OPERATOR_DATA_SOURCE) readonly allTenants: Repository<Tenant>,
    @InjectDataSource() readonly application: DataSource,
    @InjectDataSource(OPERATOR_DATA_SOURCE) readonly operator: DataSource,
    readonly transactions: TenantTransactions,
  ) {}
}

beforeAll(async () => {
  tenant = await createTenant(service);
  await createTenant(service);
});

afterEach(() => module.close());

describe('a provider of the API', () => {
  let organisations: Organisations;

  beforeEach(async () => {
    const imports = [TypeOrmModule.forFeature([Tenant]), TypeOrmModule.forFeature([Tenant], OPERATOR_DATA_SOURCE)];
    module = await Test.createTestingModule({
      imports: [ApiModule.forRoot(readConfiguration('api', service.settings)), ...imports],
      providers: [Organisations],
    }).compile();
    organisations = module.get(Organisations);
  });

  it('receives a repository limited to the tenant of the transaction', async () => {
    const { tenants, transactions } = organisations;
    const seen = await transactions.inTenant(tenant, ({ tx }) => tx.withRepository(tenants).find());
    expect(seen.map(({ tenantId }) => tenantId)).toEqual([tenant.tenantId]);
    expect(seen[0]).toBeInstanceOf(Tenant);
  });

  it('reads no tenants outside a tenant transaction', async () => {
    expect(await organisations.tenants.find()).toEqual([]);
  });

  it('receives named data sources through @InjectDataSource', async () => {
    const { application, operator } = organisations;
    await operator.initialize();
    const readRole = async (dataSource: DataSource): Promise<string> => {
      const [{ role }] = await dataSource.query<{ role: string }[]>('SELECT current_user AS role');
      return role;
    };
    expect([await readRole(application), await readRole(operator)]).toEqual(['einvoice_app', 'einvoice_operator']);
  });

  it("receives a repository of the operators' data source for all tenants", async () => {
    await organisations.operator.initialize();
    expect(await organisations.allTenants.count()).toBe(await service.owner.getRepository(Tenant).count());
  });
});

describe('overrideProvider', () => {
  it('replaces the authority of the dispatcher', async () => {
    const override = { submit: acceptAll } satisfies Partial<AuthorityCalls>;
    const configuration = readConfiguration('dispatcher', service.settings);
    module = await Test.createTestingModule({ imports: [DispatcherModule.forRoot(configuration)] })
      .overrideProvider(AuthorityCalls)
      .useValue(override)
      .compile();
    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId: 'OWN-1' })]);
    expect(await module.get(SubmitLoop).tick(new AbortController().signal)).toBe(1);
    const { documents } = await readStatus(service, tenant, submissionBatchId);
    expect(documents[0]).toMatchObject({ submissionStatus: 'Submitted', authorityUuid: null });
    const stored = 'SELECT authority_uuid FROM document_transaction WHERE submission_batch_id = $1';
    expect(await service.owner.query(stored, [submissionBatchId])).toEqual([{ authority_uuid: 'UUID-OF-OWN-1' }]);
    expect(await service.wireLog()).toEqual([]);
  });

  it('replaces the authority of the API', async () => {
    const validate = async (override?: typeof KnowsEveryTin): Promise<boolean> => {
      const builder = Test.createTestingModule({
        imports: [ApiModule.forRoot(readConfiguration('api', service.settings))],
      });
      if (override !== undefined) builder.overrideProvider(AuthorityClient).useClass(override);
      module = await builder.compile();
      const caller = { tenantId: tenant.tenantId, environment: 'sandbox' } as const;
      // The simulator knows no id with this ending.
      const id = { idType: 'BRN', idValue: override === undefined ? '201901001404' : '201901002404' };
      return (await module.get(TaxpayerService, { strict: false }).validate(caller, 'C9876543210', id)).valid;
    };
    expect(await validate()).toBe(false);
    await module.close();
    expect(await validate(KnowsEveryTin)).toBe(true);
  });
});

function acceptAll(_: AuthorityCall<'submit'>, { referenceIds }: SubmissionToSend): Promise<Traced<SubmitOutcome>> {
  const accepted = referenceIds.map((referenceId) => ({ referenceId, authorityUuid: `UUID-OF-${referenceId}` }));
  return Promise.resolve({ kind: 'accepted', submissionUid: 'OWN', accepted, rejected: [], correlationId: null });
}

@Injectable()
class KnowsEveryTin extends AuthorityClient {
  override validateTin(): Promise<Traced<TinOutcome>> {
    return Promise.resolve({ kind: 'valid', correlationId: null });
  }
}
