# Creates a key and a self-signed certificate for nginx: `sh certificate.sh FOLDER [OWNER]`. Leaves existing ones unchanged.
set -eu
folder=$1
owner=${2:-}

if [ ! -e "$folder/cert.pem" ]; then
  umask 077
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 365 -subj /CN=rounds.localhost \
    -addext subjectAltName=DNS:rounds.localhost,DNS:service.localhost,DNS:localhost,IP:127.0.0.1 \
    -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
  chmod 644 "$folder/cert.pem"
  if [ -n "$owner" ]; then chown "$owner" "$folder/key.pem"; fi
fi
