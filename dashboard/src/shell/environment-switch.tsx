import { SegmentedControl, Select } from '@mantine/core';
import { useNavigate, useParams, useRouter } from '@tanstack/react-router';
import type { Environment, Organisation, Session } from '../api/session';
import { formatEnvironment } from '../parts/format';
import { INPUT_FIRST } from '../parts/input-order';
import { findHome } from './home';
import { rememberEnvironment } from './remembered';

interface OrganisationSwitchProps {
  session: Session;
  organisation: Organisation;
}

/** Names of at most this length fit into the field. A longer one is repeated below. */
const NAME_FITS = 20;

export function OrganisationSwitch({ session, organisation }: OrganisationSwitchProps) {
  const navigate = useNavigate();
  const isOnly = session.organisations.length === 1;
  return (
    <Select
      label="Organisation"
      description={organisation.name.length > NAME_FITS ? organisation.name : undefined}
      inputWrapperOrder={INPUT_FIRST}
      styles={{ description: { overflowWrap: 'anywhere' } }}
      mb="sm"
      allowDeselect={false}
      readOnly={isOnly}
      rightSection={isOnly && <span />}
      data={session.organisations.map(({ tenantId, name }) => ({ value: tenantId, label: name }))}
      value={organisation.tenantId}
      onChange={(tenantId) => {
        if (tenantId !== null) void navigate({ to: '/o/$tenantId', params: { tenantId } });
      }}
    />
  );
}

interface EnvironmentSwitchProps extends OrganisationSwitchProps {
  environment: Environment;
}

/**
 * On a page of an environment, opens the home page of the other environment. Elsewhere, it changes only the links of
 * the menu.
 */
export function EnvironmentSwitch({ session, organisation, environment }: EnvironmentSwitchProps) {
  const navigate = useNavigate();
  const router = useRouter();
  const isInEnvironment = useParams({ strict: false }).environment !== undefined;
  if (session.environments.length < 2) return null;
  return (
    <SegmentedControl
      aria-label="Environment"
      fullWidth
      mb="xs"
      data={session.environments.map((value) => ({ value, label: formatEnvironment(value) }))}
      value={environment}
      onChange={(value) => {
        const other = session.environments.find((one) => one === value);
        if (other === undefined) return;
        rememberEnvironment(other);
        const home = isInEnvironment ? findHome(organisation, other) : null;
        void (home === null ? router.invalidate() : navigate(home));
      }}
    />
  );
}
