#!/usr/bin/env bash
# The store of docs/compilers.md: nginx with WebDAV, as it is installed. It is used, filled, killed,
# damaged and started again between links of two machines.
. "${BASH_SOURCE%/*}/watched_compiler.inc"

PATH=$PATH:/usr/sbin
need nginx python3
nginx -V 2>&1 | grep -q -- --with-http_dav_module || skip "nginx without WebDAV"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port/culink/
mkdir -p store/culink tmp
start() { # SIZE: the largest entry it takes
  cat > nginx.conf << END
daemon off; pid $PWD/nginx.pid; error_log $PWD/error.log;
$([ "$(id -u)" -ne 0 ] || echo "user root;")
events {}
http {
  access_log $PWD/access.log; client_body_temp_path $PWD/tmp;
  proxy_temp_path $PWD/tmp; fastcgi_temp_path $PWD/tmp; uwsgi_temp_path $PWD/tmp; scgi_temp_path $PWD/tmp;
  server {
    listen 127.0.0.1:$port;
    location /culink/ {
      root $PWD/store;
      dav_methods PUT;
      create_full_put_path on;
      client_max_body_size $1;
      limit_except GET { allow 127.0.0.0/8; deny all; }
    }
  }
}
END
  nginx -c "$PWD/nginx.conf" 2> start.log &
  server=$!
  for _ in $(seq 100); do [ -s nginx.pid ] || sleep 0.1; done
  [ -s nginx.pid ] || fail "nginx does not start: $(cat start.log error.log)"
}
stop() {
  kill "$server" 2> /dev/null || true
  wait "$server" 2> /dev/null || true
  rm -f nginx.pid
}
trap 'stop; rm -rf "$WORK"' EXIT
check() { # COUNT MACHINE WARNINGS [OPTION...]
  local count=$1 machine=$2 warnings=$3
  shift 3
  link out.cubin --cache-dir="$machine" --cache-remote="$url" --stats "$@" > err 2>&1 || fail "no link: $(cat err)"
  ! grep -q "libcurl" err || skip "$(grep libcurl err)"
  expect_right out.cubin "$@"
  expect_compiled "$count"
  [ "$(grep -c warning err)" -eq "$warnings" ] || fail "not $warnings warnings: $(cat err)"
}
start 1g
check 2 one 0
check 0 two 0
expect_contains err "cache hits 0 and 2 shared, misses 0"
grep -c '"PUT ' access.log | grep -qx 2 || fail "not two entries were sent: $(cat access.log)"

stop # gone
rm -rf two
check 2 two 1
start 1k # full
rm -rf one
check 0 one 0
check 2 one 1 -Xptxas=-O1
expect_contains err "status 413"
stop
start 1g # damaged
find store -type f | while read -r file; do
  printf 'x' | dd of="$file" bs=1 seek=1000 conv=notrunc status=none
done
rm -rf one two
check 2 one 1
check 0 two 0
