import { Checkbox, Text, Textarea } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { unwrap, client } from '../../api/client';
import type { components } from '../../api/schema';
import { FormDialog } from '../../parts/form-dialog';
import { useFormCall } from '../../parts/form';
import { formatEnvironment } from '../../parts/format';

export type Evidence = components['schemas']['VerificationEvidenceDto'];
export type EnvironmentEvidence = Evidence['environments'][number];

interface DialogProps {
  evidence: Evidence;
  /** Evidence shown when the dialog was opened. */
  of: EnvironmentEvidence;
  onClose: () => void;
}

function toPathParams({ evidence: { tenantId }, of: { environment } }: DialogProps) {
  return { path: { tenantId, environment } };
}

/** Returns the evidence for the decision. The API rejects the decision if the evidence has changed. */
function readDecisionBasis({ evidence: { tin, idType, idValue }, of: { status } }: DialogProps) {
  if (tin === null || idType === null || idValue === null) throw new Error('Nothing to decide without a TIN and an id');
  return { tin, idType, idValue, status };
}

export function VerifyDialog(props: DialogProps) {
  const { evidence, of, onClose } = props;
  const others = evidence.others.filter((other) => other[of.environment] === 'verified');
  const form = useForm({ initialValues: { isShared: of.isShared } });
  const call = useFormCall(
    form,
    ({ isShared }) =>
      unwrap(
        client.POST('/api/dashboard/operator/verifications/{tenantId}/{environment}/verify', {
          params: toPathParams(props),
          body: { ...readDecisionBasis(props), sharing: isShared ? 'shared' : 'exclusive' },
        }),
      ),
    useVerificationsChanged(onClose),
  );
  return (
    <FormDialog title="Verify the organisation" onClose={onClose} call={call} action="Verify">
      <Text size="sm">
        {evidence.name} may send documents as <b>{evidence.tin}</b> in the{' '}
        {formatEnvironment(of.environment).toLowerCase()}. Compare the TIN with the registration {evidence.idType}{' '}
        {evidence.idValue} first: the sign-up address is not proof.
      </Text>
      {others.length > 0 && (
        <Text size="sm">Already verified for this TIN: {others.map(({ name }) => name).join(', ')}.</Text>
      )}
      <Checkbox
        label="Several organisations share this TIN"
        description="Organisations that are already verified for this TIN stay verified."
        {...form.getInputProps('isShared', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}

export function RefuseDialog(props: DialogProps) {
  const { evidence, of, onClose } = props;
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { reason: '' },
    validate: { reason: isNotEmpty('Enter a reason for the organisation to read') },
  });
  const call = useFormCall(
    form,
    ({ reason }) =>
      unwrap(
        client.POST('/api/dashboard/operator/verifications/{tenantId}/{environment}/refuse', {
          params: toPathParams(props),
          body: { ...readDecisionBasis(props), reason },
        }),
      ),
    useVerificationsChanged(onClose),
  );
  return (
    <FormDialog title="Refuse the organisation" onClose={onClose} call={call} action="Refuse" isDangerous>
      <Text size="sm">
        {evidence.name} can no longer send documents as {evidence.tin} in the{' '}
        {formatEnvironment(of.environment).toLowerCase()}. Accepted documents are not affected.
      </Text>
      <Textarea
        label="Reason"
        description="Shown to the organisation."
        required
        autosize
        minRows={2}
        data-autofocus
        key={form.key('reason')}
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}

function useVerificationsChanged(onClose: () => void): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries({ queryKey: ['operator', 'verifications'] });
    onClose();
  };
}
