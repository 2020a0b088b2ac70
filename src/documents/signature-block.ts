import { createHash } from 'node:crypto';
import type { CertificateFacts } from '../common/signing/certificate.js';

export interface SignatureParts {
  readonly certificate: Pick<CertificateFacts, 'derBase64' | 'sha256Base64' | 'issuerName' | 'serialNumber'>;
  /** UTC, whole seconds. */
  readonly signingTime: string;
  readonly documentDigest: string;
  readonly signatureValue: string;
}

const SHA256 = { _: '', Algorithm: 'http://www.w3.org/2001/04/xmlenc#sha256' };
const RSA_SHA256 = { _: '', Algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' };
const ENVELOPED_XADES = 'urn:oasis:names:specification:ubl:dsig:enveloped:xades';
const SIGNATURE_ID = 'urn:oasis:names:specification:ubl:signature:Invoice';

/** Equal in content and order to the authority's signed samples ("Signature Creation - JSON" in its SDK). */
export function signatureBlock(parts: SignatureParts): string {
  const text = JSON.stringify({
    UBLExtensions: [
      {
        UBLExtension: [
          {
            ExtensionURI: [{ _: ENVELOPED_XADES }],
            ExtensionContent: [{ UBLDocumentSignatures: [{ SignatureInformation: [signatureInformation(parts)] }] }],
          },
        ],
      },
    ],
    Signature: [{ ID: [{ _: SIGNATURE_ID }], SignatureMethod: [{ _: ENVELOPED_XADES }] }],
  });
  return text.slice(1, -1);
}

function signatureInformation(parts: SignatureParts): object {
  const properties = qualifyingProperties(parts);
  // The digest covers the whole array element including `Target`, and not only the signed properties.
  const propertiesDigest = sha256Base64(Buffer.from(JSON.stringify(properties), 'utf8'));
  return {
    ID: [{ _: 'urn:oasis:names:specification:ubl:signature:1' }],
    ReferencedSignatureID: [{ _: SIGNATURE_ID }],
    Signature: [
      {
        Id: 'signature',
        Object: [{ QualifyingProperties: [properties] }],
        KeyInfo: [{ X509Data: [certificateData(parts)] }],
        SignatureValue: [{ _: parts.signatureValue }],
        SignedInfo: [
          {
            SignatureMethod: [RSA_SHA256],
            Reference: [
              {
                Type: 'http://uri.etsi.org/01903/v1.3.2#SignedProperties',
                URI: '#id-xades-signed-props',
                DigestMethod: [SHA256],
                DigestValue: [{ _: propertiesDigest }],
              },
              { Type: '', URI: '', DigestMethod: [SHA256], DigestValue: [{ _: parts.documentDigest }] },
            ],
          },
        ],
      },
    ],
  };
}

function qualifyingProperties({ certificate, signingTime }: SignatureParts): object {
  const certificateDigest = [{ DigestMethod: [SHA256], DigestValue: [{ _: certificate.sha256Base64 }] }];
  return {
    Target: 'signature',
    SignedProperties: [
      {
        Id: 'id-xades-signed-props',
        SignedSignatureProperties: [
          {
            SigningTime: [{ _: signingTime }],
            SigningCertificate: [
              { Cert: [{ CertDigest: certificateDigest, IssuerSerial: [issuerAndSerial(certificate)] }] },
            ],
          },
        ],
      },
    ],
  };
}

function certificateData({ certificate }: SignatureParts): object {
  return {
    X509Certificate: [{ _: certificate.derBase64 }],
    X509SubjectName: [{ _: certificate.issuerName }],
    X509IssuerSerial: [issuerAndSerial(certificate)],
  };
}

function issuerAndSerial({ issuerName, serialNumber }: SignatureParts['certificate']): object {
  return { X509IssuerName: [{ _: issuerName }], X509SerialNumber: [{ _: serialNumber }] };
}

export function sha256Base64(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}
