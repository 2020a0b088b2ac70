import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { hasLength } from '@mantine/form';

const LENGTH_MIN = 12;

export const validatePassword = hasLength({ min: LENGTH_MIN }, `Use at least ${LENGTH_MIN} characters`);

/** @param note further sentence of the description */
export function NewPasswordInput({ note = '', ...props }: PasswordInputProps & { note?: string }) {
  return (
    <PasswordInput
      label="Password"
      description={`At least ${LENGTH_MIN} characters; several words make a strong password. ${note}`.trim()}
      autoComplete="new-password"
      required
      {...props}
    />
  );
}
