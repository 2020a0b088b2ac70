import { Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { answer, client } from '../../api/client';
import { sessionQuery } from '../../api/session';
import { ErrorAlert } from '../error-alert';
import { useFormCall } from '../form';
import { CodeSelect, IndustrySelect } from './code-select';
import { FIELDS, ID_TYPES, type ProfileField, type ProfileSection } from './profile-fields';
import { type OrganisationDetails, organisationQuery } from './queries';

interface ProfileFormProps {
  organisation: OrganisationDetails;
  section: ProfileSection;
  isReadOnly: boolean;
  submitLabel: string;
  onSaved: () => unknown;
}

/** One section of the profile, saved as a whole or not at all. */
export function ProfileForm({ organisation, section, isReadOnly, submitLabel, onSaved }: ProfileFormProps) {
  const { tenantId, profile } = organisation;
  const form = useForm<Record<string, string>>({
    mode: 'controlled',
    initialValues: Object.fromEntries(section.fields.map((field) => [field, initialOf(field, profile[field])])),
  });
  const queryClient = useQueryClient();
  const router = useRouter();
  const { onSubmit, pending, error, problems } = useFormCall(
    form,
    (body) =>
      answer(client.PATCH('/api/dashboard/organisations/{tenantId}/profile', { params: { path: { tenantId } }, body })),
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
    <form onSubmit={onSubmit} noValidate aria-label={section.title}>
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
          </Group>
        )}
      </Stack>
    </form>
  );
}

interface ProfileInputProps {
  field: ProfileField;
  isReadOnly: boolean;
  props: ReturnType<ReturnType<typeof useForm<Record<string, string>>>['getInputProps']>;
}

function ProfileInput({ field, isReadOnly, props }: ProfileInputProps) {
  const { label, description, input = 'text', isNeeded = false, autoComplete } = FIELDS[field];
  const common = { label, description, withAsterisk: isNeeded && !isReadOnly, readOnly: isReadOnly };
  switch (input) {
    case 'text':
      return <TextInput {...common} autoComplete={autoComplete ?? 'off'} {...props} />;
    case 'idType':
      return <Select {...common} data={ID_TYPES} {...props} />;
    case 'industry':
      return <IndustrySelect {...common} {...props} />;
    case 'state':
      return <CodeSelect list="states" {...common} {...props} />;
    case 'country':
      return <CodeSelect list="countries" {...common} {...props} />;
    case 'taxType':
      return <CodeSelect list="tax-types" {...common} {...props} />;
    case 'classification':
      return <CodeSelect list="classifications" clearable {...common} {...props} />;
  }
}

// Most are companies.
function initialOf(field: ProfileField, value: string | null): string {
  return value ?? (field === 'idType' ? 'BRN' : '');
}
