#pragma once
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

// GnuTLS for Swift: macros and flags that do not import. No decisions stand here.

static inline int walkdown_gnutls_generate_p256(gnutls_x509_privkey_t key) {
    return gnutls_x509_privkey_generate(
        key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
}

static inline int walkdown_gnutls_export_key(gnutls_x509_privkey_t key, gnutls_datum_t *pem) {
    return gnutls_x509_privkey_export2_pkcs8(
        key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN, pem);
}

static inline int walkdown_gnutls_set_common_name(
    gnutls_x509_crt_t certificate, const char *name, unsigned int count
) {
    return gnutls_x509_crt_set_dn_by_oid(
        certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, count);
}

static inline int walkdown_gnutls_add_dns_name(
    gnutls_x509_crt_t certificate, const void *name, unsigned int count
) {
    return gnutls_x509_crt_set_subject_alt_name(
        certificate, GNUTLS_SAN_DNSNAME, name, count, GNUTLS_FSAN_APPEND);
}

static inline int walkdown_gnutls_add_address(
    gnutls_x509_crt_t certificate, const void *address, unsigned int count
) {
    return gnutls_x509_crt_set_subject_alt_name(
        certificate, GNUTLS_SAN_IPADDRESS, address, count, GNUTLS_FSAN_APPEND);
}

static inline int walkdown_gnutls_may_sign_certificates(gnutls_x509_crt_t certificate) {
    return gnutls_x509_crt_set_key_usage(
        certificate, GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN);
}

static inline int walkdown_gnutls_may_serve(gnutls_x509_crt_t certificate) {
    int result = gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_DIGITAL_SIGNATURE);
    return result < 0
        ? result : gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0);
}

static inline int walkdown_gnutls_sign_sha256(
    gnutls_x509_crt_t certificate, gnutls_x509_crt_t issuer, gnutls_x509_privkey_t key
) {
    return gnutls_x509_crt_sign2(certificate, issuer, key, GNUTLS_DIG_SHA256, 0);
}

static inline int walkdown_gnutls_export_pem(gnutls_x509_crt_t certificate, gnutls_datum_t *pem) {
    return gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, pem);
}

static inline int walkdown_gnutls_export_der(gnutls_x509_crt_t certificate, gnutls_datum_t *der) {
    return gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_DER, der);
}

static inline int walkdown_gnutls_import_certificate(
    gnutls_x509_crt_t certificate, const gnutls_datum_t *pem
) {
    return gnutls_x509_crt_import(certificate, pem, GNUTLS_X509_FMT_PEM);
}

static inline int walkdown_gnutls_import_key(
    gnutls_x509_privkey_t key, const gnutls_datum_t *pem
) {
    return gnutls_x509_privkey_import2(key, pem, GNUTLS_X509_FMT_PEM, NULL, 0);
}

/// The DER of the public half (SubjectPublicKeyInfo), which a pin is the hash of.
static inline int walkdown_gnutls_public_key(gnutls_x509_privkey_t key, gnutls_datum_t *der) {
    gnutls_privkey_t whole = NULL;
    gnutls_pubkey_t half = NULL;
    int result = gnutls_privkey_init(&whole);
    if (result >= 0) result = gnutls_privkey_import_x509(whole, key, GNUTLS_PRIVKEY_IMPORT_COPY);
    if (result >= 0) result = gnutls_pubkey_init(&half);
    if (result >= 0) result = gnutls_pubkey_import_privkey(half, whole, 0, 0);
    if (result >= 0) result = gnutls_pubkey_export2(half, GNUTLS_X509_FMT_DER, der);
    if (half != NULL) gnutls_pubkey_deinit(half);
    if (whole != NULL) gnutls_privkey_deinit(whole);
    return result;
}

/// The same of a certificate's key.
static inline int walkdown_gnutls_certified_key(
    gnutls_x509_crt_t certificate, gnutls_datum_t *der
) {
    gnutls_pubkey_t half = NULL;
    int result = gnutls_pubkey_init(&half);
    if (result >= 0) result = gnutls_pubkey_import_x509(half, certificate, 0);
    if (result >= 0) result = gnutls_pubkey_export2(half, GNUTLS_X509_FMT_DER, der);
    if (half != NULL) gnutls_pubkey_deinit(half);
    return result;
}

/// 1 where the issuer's key signed the certificate, whatever the time is.
static inline int walkdown_gnutls_is_signed_by(
    gnutls_x509_crt_t certificate, gnutls_x509_crt_t issuer
) {
    unsigned int status = 0;
    int result = gnutls_x509_crt_verify(
        certificate, &issuer, 1, GNUTLS_VERIFY_DISABLE_TIME_CHECKS, &status);
    return result >= 0 && status == 0;
}

static inline void walkdown_gnutls_free(gnutls_datum_t *datum) {
    gnutls_free(datum->data);
    datum->data = NULL;
    datum->size = 0;
}
