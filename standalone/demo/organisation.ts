import { readFile, rm } from 'node:fs/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource, type EntityManager } from 'typeorm';
import {
  RoleAssignmentsService,
  generatePassword,
  type RoleScope,
} from '../../src/accounts/role-assignments.service.js';
import { createKey, listKeys } from '../../src/accounts/api-keys/keys.js';
import { CliModule } from '../../src/processes/cli.module.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import type { ProfileChange } from '../../src/tenants/profile-change.js';
import { TenantService } from '../../src/tenants/tenant.service.js';
import { writeOnce } from '../data-folder.js';

/** Organisation of the demo. It is stored in the data folder so that every run uses the same one. */
export interface DemoOrganisation {
  readonly tenantId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly signIns: Readonly<Record<'owner' | 'operator', SignIn>>;
}

interface SignIn {
  readonly email: string;
  readonly password: string;
}

const OWNER = { email: 'owner@kedai-demo.example', name: 'Aisyah Rahman' };
const OPERATOR = { email: 'operator@demo.example', name: 'Demo operator' };

const CREDITS_LOW = 100;
const CREDITS_GRANTED = 1_000;

const PROFILE: ProfileChange = {
  name: 'Kedai Demo Sdn Bhd',
  tin: 'C2584563200',
  idType: 'BRN',
  idValue: '201901234567',
  sstNumber: 'W10-1808-32000001',
  msic: '46510',
  activity: 'Wholesale of computers and peripherals',
  addressLine1: 'Lot 66, Bangunan Merdeka',
  addressLine2: 'Jalan Persiaran',
  city: 'Kuala Lumpur',
  postcode: '50480',
  stateCode: 'kuala_lumpur',
  phone: '+60312345678',
  email: 'akaun@kedai-demo.example',
  defaultTaxType: '02',
};

/** Creates the organisation and its sandbox key on the first run. Grants credits when they run low. */
export async function prepareOrganisation(
  settings: NodeJS.ProcessEnv,
  file: string,
): Promise<DemoOrganisation & { credits: number }> {
  const printer = { print: (): void => undefined };
  const application = await NestFactory.createApplicationContext(
    CliModule.forRoot(readConfiguration('operator', settings), printer),
    // Keeps the logger, because the service in this process uses it.
    { abortOnError: false },
  );
  try {
    const tx = application.get(DataSource).manager;
    const ledger = application.get(CreditLedger);
    const organisation = (await knownOrganisation(file, tx)) ?? (await newOrganisation(file, { application, tx }));
    const { tenantId } = organisation;
    const { balance } = await ledger.readBalance(tenantId);
    const topUp = { tenantId, credits: CREDITS_GRANTED };
    return { ...organisation, credits: balance < CREDITS_LOW ? (await ledger.grant(topUp)).balance : balance };
  } finally {
    await application.close();
  }
}

// The file is valid only if the database contains its key, because either may have been deleted.
async function knownOrganisation(file: string, tx: EntityManager): Promise<DemoOrganisation | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  const organisation = JSON.parse(text) as DemoOrganisation;
  const known = await listKeys(tx, organisation.tenantId);
  const isUsable = known.some((key) => key.id === organisation.keyId && key.revokedAt === null);
  return isUsable && organisation.signIns !== undefined ? organisation : null;
}

async function newOrganisation(
  file: string,
  { application, tx }: { application: INestApplicationContext; tx: EntityManager },
): Promise<DemoOrganisation> {
  // Shares the TIN, because an organisation of an earlier demo with a deleted file may have been verified for it.
  const { tenantId } = await application.get(TenantService).create(PROFILE, { isTinShared: true });
  const key = await createKey(tx, { tenantId, environment: 'sandbox', name: 'demo', createdBy: null });
  const signIns = {
    owner: await signIn({ application, tx }, OWNER, { role: 'owner', tenantId }),
    operator: await signIn({ application, tx }, OPERATOR, { role: 'operator' }),
  };
  const organisation = { tenantId, ...key, signIns };
  await rm(file, { force: true });
  await writeOnce(file, organisation);
  return organisation;
}

/** Creates a user, or resets the password if the user remains from a demo whose file was deleted. */
async function signIn(
  { application, tx }: { application: INestApplicationContext; tx: EntityManager },
  person: { readonly email: string; readonly name: string },
  scope: RoleScope,
): Promise<SignIn> {
  const password = generatePassword();
  const known = await tx.query<unknown[]>('SELECT id FROM user_account WHERE email = $1', [person.email]);
  await application.get(RoleAssignmentsService).assign({ ...person, password, scope, isExisting: known.length > 0 });
  return { email: person.email, password };
}
