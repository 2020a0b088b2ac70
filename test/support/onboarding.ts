import type { AppointmentDto } from '../../src/dashboard-api/organisation/dto/organisation.dto.js';
import type {
  OrganisationDto,
  VerificationStateDto,
} from '../../src/dashboard-api/organisation/dto/organisation.dto.js';
import type { VerificationEvidencesDto } from '../../src/dashboard-api/operator/dto/operator-verifications.dto.js';
import { type Browser, type DashboardResponse, signUp } from './dashboard.js';
import type { Problem } from './people.js';
import type { TestService } from './service.js';

export interface SignedUp {
  readonly browser: Browser;
  readonly tenantId: string;
  readonly email: string;
}

let counter = 0;

/** Returns a TIN that no other organisation of the test has. */
export function newTin(): string {
  counter += 1;
  return `C3${1_000_000 + (process.pid % 1_000) * 1_000 + counter}0`;
}

/** Saves a complete profile as the owner of the organisation. */
export function fillProfile(
  { browser, tenantId }: SignedUp,
  change: Record<string, string>,
): Promise<DashboardResponse<Problem>> {
  const profile = {
    idType: 'BRN',
    idValue: '201901234567',
    msic: '46510',
    activity: 'Wholesale of computers',
    addressLine1: 'Lot 66',
    city: 'Kuala Lumpur',
    postcode: '50480',
    stateCode: 'kuala_lumpur',
    phone: '+60312345678',
    ...change,
  };
  return browser.call<Problem>('PATCH', `/organisations/${tenantId}/profile`, profile);
}

export function checkAppointment(
  { browser, tenantId }: SignedUp,
  environment = 'sandbox',
): Promise<DashboardResponse<AppointmentDto>> {
  return browser.post<AppointmentDto>(`/organisations/${tenantId}/${environment}/appointment-check`, {});
}

export async function readVerificationState(
  { browser, tenantId }: SignedUp,
  environment = 'sandbox',
): Promise<VerificationStateDto> {
  const { body } = await browser.get<OrganisationDto>(`/organisations/${tenantId}`);
  const standing = body.onboarding.verifications.find((each) => each.environment === environment);
  if (standing === undefined) throw new Error(`The organisation is not shown in ${environment}`);
  return standing;
}

/** Signs up an organisation, saves its profile with this TIN, and checks its appointment in the sandbox. */
export async function onboard(service: TestService, tin = newTin()): Promise<SignedUp & { readonly tin: string }> {
  const somebody = await signUp(service);
  for (const { status, text } of [await fillProfile(somebody, { tin }), await checkAppointment(somebody)]) {
    if (status !== 200) throw new Error(`Onboarding: ${status} ${text}`);
  }
  return { ...somebody, tin };
}

/** Verifies or refuses an organisation, based on the data that the operator's page currently shows. */
export async function decideAs(
  operator: Browser,
  { tenantId, environment = 'sandbox' }: { tenantId: string; environment?: 'sandbox' | 'production' },
  decision: { sharing: 'exclusive' | 'shared' } | { reason: string },
): Promise<DashboardResponse<Problem>> {
  const { body } = await operator.get<VerificationEvidencesDto>(`/operator/verifications?tenantId=${tenantId}`);
  const [{ tin, idType, idValue, environments }] = body.items;
  const status = environments.find((each) => each.environment === environment)?.status;
  const path = `/operator/verifications/${tenantId}/${environment}/${'reason' in decision ? 'refuse' : 'verify'}`;
  return operator.post<Problem>(path, { tin, idType, idValue, status, ...decision });
}
