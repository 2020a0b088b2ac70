// Imports nothing, because the listener must exist before the other modules load, which takes most of a second.
let toggle: (() => void) | null = null;
let isWanted = false;

// Without a listener, the signal would end the process.
process.on('SIGUSR2', () => {
  if (toggle === null) isWanted = !isWanted;
  else toggle();
});

/** Sets the action of SIGUSR2, and runs it immediately if the signal was already received. */
export function onLogSignal(switchLevel: () => void): void {
  toggle = switchLevel;
  if (isWanted) toggle();
}
