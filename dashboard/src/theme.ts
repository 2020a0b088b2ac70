import { type CSSVariablesResolver, createTheme } from '@mantine/core';
import { SteadyButton } from './parts/steady-button';

const OPTIONS_HEIGHT = 220;

export const theme = createTheme({
  primaryColor: 'indigo',
  // White text on a filled button has a contrast above 4.5:1.
  primaryShade: 8,
  respectReducedMotion: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  components: {
    Button: { defaultProps: { component: SteadyButton } },
    ActionIcon: { defaultProps: { component: SteadyButton } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    // Prevents a second banner landmark.
    ModalHeader: { defaultProps: { role: 'none' } },
    // Keeps the choices in the landmark of their field. The list scrolls with the arrow keys.
    Combobox: {
      defaultProps: { withinPortal: false },
      styles: { options: { maxHeight: OPTIONS_HEIGHT, overflowY: 'auto' } },
    },
    // Links on Mantine's default colour have a contrast below 4.5:1 in the dark scheme.
    Table: {
      defaultProps: { highlightOnHoverColor: 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-6))' },
    },
    Select: { defaultProps: { withScrollArea: false } },
    // Text has the normal colour for contrast. Only the icon and frame are coloured.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
  },
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' } } },
});

/** Mantine's dimmed, placeholder and error colours have a contrast below 4.5:1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
