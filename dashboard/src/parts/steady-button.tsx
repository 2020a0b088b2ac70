import type { ComponentProps, MouseEvent } from 'react';

interface SteadyButtonProps extends ComponentProps<'button'> {
  'data-loading'?: boolean;
}

/**
 * The element of every button: while it loads, or with `aria-disabled`, it does nothing and keeps the focus, which a
 * disabled one loses.
 */
export function SteadyButton({ type = 'button', disabled, onClick, ...props }: SteadyButtonProps) {
  const isLoading = props['data-loading'] === true;
  const isIdle = isLoading || props['aria-disabled'] === true;
  // A button that submits a form does so for Enter in its fields too.
  const refuse = (event: MouseEvent) => event.preventDefault();
  return (
    <button
      {...props}
      type={type}
      disabled={disabled === true && !isLoading}
      aria-disabled={isIdle || undefined}
      aria-busy={isLoading || undefined}
      onClick={isIdle ? refuse : onClick}
    />
  );
}
