// Browsers hide the attribute from CSS and other scripts, but not this property.
const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');

/** Nonce that the content security policy requires for <style> elements. */
export const styleNonce = meta?.nonce ?? '';

// react-remove-scroll, which Mantine overlays use, reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
