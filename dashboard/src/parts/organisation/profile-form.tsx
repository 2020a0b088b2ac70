import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { unwrap, client } from '../../api/client';
import { sessionQuery } from '../../api/session';
import { ErrorAlert } from '../error-alert';
import { useFormCall } from '../form';
import { INPUT_FIRST } from '../input-order';
import { CodeSelect, IndustrySelect } from './code-select';
import { FIELDS, ID_TYPES, type ProfileField, type ProfileInputKind, type ProfileSection } from './profile-fields';
import { type OrganisationDetails, organisationQuery } from './queries';

interface ProfileFormProps {
  organisation: OrganisationDetails;
  section: ProfileSection;
  isReadOnly: boolean;
  submitLabel: string;
  /** Said next to the button, such as that it is saved. */
  note?: string;
  onSaved: () => unknown;
}

/** One section of the profile, saved as a whole or not at all. */
export function ProfileForm({ organisation, section, isReadOnly, submitLabel, note, onSaved }: ProfileFormProps) {
  const { tenantId, profile } = organisation;
  const form = useForm<Record<string, string>>({
    mode: 'controlled',
    initialValues: Object.fromEntries(section.fields.map((field) => [field, chooseInitial(field, profile[field])])),
  });
  const queryClient = useQueryClient();
  const router = useRouter();
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (body) =>
      unwrap(client.PATCH('/api/dashboard/organisations/{tenantId}/profile', { params: { path: { tenantId } }, body })),
    async (saved) => {
      form.setValues(Object.fromEntries(section.fields.map((field) => [field, saved[field] ?? ''])));
      form.resetDirty();
      await queryClient.invalidateQueries(organisationQuery(tenantId));
      if (saved.name !== profile.name) {
        await queryClient.invalidateQueries(sessionQuery);
        await router.invalidate();
      }
      await onSaved();
    },
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <ErrorAlert
          error={problems.length > 0 || Object.keys(form.errors).length === 0 ? error : null}
          problems={problems}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {section.fields.map((field) => (
            <ProfileInput key={field} field={field} isReadOnly={isReadOnly} props={form.getInputProps(field)} />
          ))}
        </SimpleGrid>
        {!isReadOnly && (
          <Group>
            <Button type="submit" loading={pending}>
              {submitLabel}
            </Button>
            <Text component="output" size="sm" c="dimmed">
              {note}
            </Text>
          </Group>
        )}
      </Stack>
    </form>
  );
}

type InputProps = ReturnType<ReturnType<typeof useForm<Record<string, string>>>['getInputProps']>;

interface ShownProps extends InputProps {
  label: string;
  description: string | undefined;
  inputWrapperOrder: typeof INPUT_FIRST;
  withAsterisk: boolean;
  readOnly: boolean;
  autoComplete: string;
}

const INPUTS: Record<ProfileInputKind, ComponentType<ShownProps>> = {
  text: TextInput,
  idType: (props) => <Select data={ID_TYPES} allowDeselect={false} {...props} />,
  industry: IndustrySelect,
  state: (props) => <CodeSelect list="states" {...props} />,
  country: (props) => <CodeSelect list="countries" {...props} />,
  taxType: (props) => <CodeSelect list="tax-types" without="E" {...props} />,
  classification: (props) => <CodeSelect list="classifications" clearable {...props} />,
};

function ProfileInput({ field, isReadOnly, props }: { field: ProfileField; isReadOnly: boolean; props: InputProps }) {
  const { label, description, input = 'text', isNeeded = false, autoComplete = 'off' } = FIELDS[field];
  const Input = INPUTS[input];
  return (
    <Input
      label={label}
      description={description}
      inputWrapperOrder={INPUT_FIRST}
      withAsterisk={isNeeded && !isReadOnly}
      readOnly={isReadOnly}
      autoComplete={autoComplete}
      {...props}
    />
  );
}

// Most are companies.
function chooseInitial(field: ProfileField, value: string | null): string {
  return value ?? (field === 'idType' ? 'BRN' : '');
}
