import { List, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed, IconCircleX, IconClock } from '@tabler/icons-react';
import type { components } from '../../api/schema';
import type { Environment } from '../../api/session';
import { formatEnvironment } from '../format';
import { type BadgeStyle, StyledBadge } from '../styled-badge';
import { Notice } from '../notice';
import type { OrganisationDetails } from './queries';

type Verification = components['schemas']['VerificationStateDto'];
type Status = Verification['status'];

const STYLES: Record<Status, BadgeStyle> = {
  unverified: { color: 'gray', icon: IconCircleDashed, label: 'Not verified' },
  waiting: { color: 'blue', icon: IconClock, label: 'Waiting' },
  verified: { color: 'green', icon: IconCircleCheck, label: 'Verified' },
  refused: { color: 'red', icon: IconCircleX, label: 'Refused' },
};

export function VerificationBadge({ status }: { status: Status }) {
  return <StyledBadge style={STYLES[status]} />;
}

export function findVerification({ onboarding }: OrganisationDetails, environment: Environment): Verification | null {
  return onboarding.verifications.find((each) => each.environment === environment) ?? null;
}

interface VerificationNoticeProps {
  organisation: OrganisationDetails;
  environment: Environment;
}

export function VerificationNotice({ organisation, environment }: VerificationNoticeProps) {
  const verification = findVerification(organisation, environment);
  if (verification === null) return null;
  const { status, reason } = verification;
  const environmentName = formatEnvironment(environment).toLowerCase();
  switch (status) {
    case 'verified':
      return <Notice kind="good" title={`Verified for your TIN in the ${environmentName}`} />;
    case 'waiting':
      return (
        <Notice kind="waiting" title={`Waiting for verification in the ${environmentName}`}>
          <Text size="sm">
            The operator compares your registration with the TIN before your first document is sent. You do not need to
            do anything here. If you have questions, contact the operator.
          </Text>
        </Notice>
      );
    case 'refused':
      return (
        <Notice kind="bad" title={`The operator refused to verify you in the ${environmentName}`}>
          <Text size="sm">{reason}</Text>
          <Text size="sm">Correct the TIN or the id in the profile, or contact the operator.</Text>
        </Notice>
      );
    case 'unverified':
      return <WhatIsMissing organisation={organisation} environment={environment} />;
  }
}

function WhatIsMissing({ organisation, environment }: VerificationNoticeProps) {
  const { missing, onboarding } = organisation;
  const appointment = onboarding.appointments.find((each) => each.environment === environment);
  return (
    <Notice kind="info" title={`Not verified in the ${formatEnvironment(environment).toLowerCase()} yet`}>
      <Text size="sm">Until then, you cannot send documents or create API keys there. Still missing:</Text>
      <List size="sm">
        {missing.length > 0 && <List.Item>the rest of the profile: {missing.join(', ')}</List.Item>}
        <List.Item>
          {appointment?.isAppointed === true
            ? 'a check of the appointment that confirms the TIN together with the id'
            : 'the appointment, and its check'}
        </List.Item>
      </List>
    </Notice>
  );
}
