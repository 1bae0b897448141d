// Reads from and inserts into the embedded server with clickhouse-go, the client that Grafana's plugin is made of.
// Usage: go run . HOST:PORT DATABASE USER PASSWORD none|lz4|zstd
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

const rows = 100_000

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

func run(address, database, user, password, compression string) error {
	methods := map[string]clickhouse.CompressionMethod{
		"none": clickhouse.CompressionNone, "lz4": clickhouse.CompressionLZ4, "zstd": clickhouse.CompressionZSTD,
	}
	method, known := methods[compression]
	if !known {
		return fmt.Errorf("no such compression: %s", compression)
	}
	options := &clickhouse.Options{
		Addr:        []string{address},
		Auth:        clickhouse.Auth{Database: database, Username: user, Password: password},
		Compression: &clickhouse.Compression{Method: method},
		Settings:    clickhouse.Settings{"max_execution_time": 60},
		DialTimeout: 10 * time.Second,
	}
	connection, err := clickhouse.Open(options)
	if err != nil {
		return err
	}
	defer connection.Close()
	background := context.Background()
	if err := connection.Ping(background); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	version, err := connection.ServerVersion()
	if err != nil {
		return fmt.Errorf("version: %w", err)
	}
	if version.Name != "ClickHouse" {
		return fmt.Errorf("the server calls itself %s", version.Name)
	}
	table := "go_" + compression
	if err := connection.Exec(background, "DROP TABLE IF EXISTS "+table); err != nil {
		return fmt.Errorf("drop: %w", err)
	}
	create := "CREATE TABLE " + table + ` (number UInt64, name String, kind LowCardinality(String), cards Array(UInt8),
		player Nullable(String), at DateTime64(6, 'UTC'), limits Map(String, UInt32), id UUID, stake Decimal(18, 2))
		ENGINE = MergeTree ORDER BY number`
	if err := connection.Exec(background, create); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if err := insert(background, connection, table); err != nil {
		return fmt.Errorf("insert: %w", err)
	}
	if err := read(background, connection, table); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if err := fail(background, connection); err != nil {
		return fmt.Errorf("fail: %w", err)
	}
	return nothing(background, connection, table)
}

func insert(background context.Context, connection clickhouse.Conn, table string) error {
	batch, err := connection.PrepareBatch(background, "INSERT INTO "+table)
	if err != nil {
		return err
	}
	start := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for number := 0; number < rows; number++ {
		var player *string
		if number%3 == 0 {
			name := fmt.Sprintf("P%d", number)
			player = &name
		}
		err := batch.Append(
			uint64(number), fmt.Sprintf("name-%d", number), fmt.Sprintf("kind-%d", number%7),
			make([]uint8, number%4), player, start.Add(time.Duration(number)*time.Microsecond),
			map[string]uint32{"min": uint32(number)}, "61f0c404-5cb3-11e7-907b-a6006ad3dba0", "12.50",
		)
		if err != nil {
			return err
		}
		if number%40_000 == 39_999 {
			if err := batch.Flush(); err != nil {
				return err
			}
		}
	}
	return batch.Send()
}

func read(background context.Context, connection clickhouse.Conn, table string) error {
	query := "SELECT number, name, kind, cards, player, at, limits['min'] FROM " + table + " ORDER BY number"
	result, err := connection.Query(background, query)
	if err != nil {
		return err
	}
	defer result.Close()
	start := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	count := uint64(0)
	for result.Next() {
		var number uint64
		var name, kind string
		var cards []uint8
		var player *string
		var at time.Time
		var limit uint32
		if err := result.Scan(&number, &name, &kind, &cards, &player, &at, &limit); err != nil {
			return err
		}
		right := number == count && name == fmt.Sprintf("name-%d", number) && kind == fmt.Sprintf("kind-%d", number%7) &&
			len(cards) == int(number%4) && (player != nil) == (number%3 == 0) && limit == uint32(number) &&
			at.Equal(start.Add(time.Duration(number)*time.Microsecond))
		if !right {
			return fmt.Errorf("row %d came back as %d %s %s %v %v %v %d", count, number, name, kind, cards, player, at, limit)
		}
		count++
	}
	if err := result.Err(); err != nil {
		return err
	}
	if count != rows {
		return fmt.Errorf("%d rows came back of %d", count, rows)
	}
	return nil
}

func fail(background context.Context, connection clickhouse.Conn) error {
	err := connection.Exec(background, "SELECT * FROM no_such_table")
	var exception *clickhouse.Exception
	if !errors.As(err, &exception) || exception.Code != 60 {
		return fmt.Errorf("an unknown table gave %v", err)
	}
	return nil
}

func nothing(background context.Context, connection clickhouse.Conn, table string) error {
	result, err := connection.Query(background, "SELECT number, name FROM "+table+" WHERE number > 1000000000")
	if err != nil {
		return err
	}
	defer result.Close()
	if result.Next() || result.Err() != nil {
		return fmt.Errorf("rows where there are none: %v", result.Err())
	}
	if columns := result.Columns(); len(columns) != 2 || columns[0] != "number" {
		return fmt.Errorf("a result without rows has the columns %v", columns)
	}
	return nil
}
