// The browser hides the attribute from scripts of other origins and from CSS, not from this property.
const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');

/** What the content security policy asks of every <style> element. */
export const styleNonce = meta?.nonce ?? '';

// The libraries that add styles by themselves (react-remove-scroll under every Mantine overlay) look here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
