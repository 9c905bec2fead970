/** Version of the product; `mb` reports Mountebank's (docs/profiles.md). */
export const version = '0.1.0';
export const mountebankVersion = '2.9.1';
